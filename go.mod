module twibase

go 1.26
