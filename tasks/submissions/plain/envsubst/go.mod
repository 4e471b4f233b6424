module envfill

go 1.24
