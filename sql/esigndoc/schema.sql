-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

esigndoc.current_seal_key() -> json
esigndoc.list_seal_roots() -> json
esigndoc.replace_seal_key(_old text, _kid text, _certificate text, _sealed text, _root text, _sealed_root text) -> json
esigndoc.show_seal_key(_key svc.seal_key) -> json
