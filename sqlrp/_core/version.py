"""The version of this release, in one place: packaging, the catalogue and the command line read it here."""

VERSION = "0.1.0"
