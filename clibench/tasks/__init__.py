"""The frozen tasks: data model, loading, validation, freezing."""
