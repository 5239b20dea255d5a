-- -- the table functions ----------------------------------------------------------------------------------------------------

{{steps}}

{{functions}}

-- The same statements as text, for views that cost little to open. The text calls the macros that draw the signs.

{{told}}
