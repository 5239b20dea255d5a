"""Engines without a folder of their own: what every engine of SQL has, and what one answers when it is asked."""
