-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

storage.buy(_job json, _fields json, _seconds integer, _content json) -> json
storage.drop_contents(_ids uuid[], _grace interval) -> void
storage.export_account(_account uuid) -> json
storage.list(_account uuid, _limit integer, _offset integer) -> json
storage.list_contents() -> TABLE(key text, sha256 text)
storage.lock(_account uuid, _id uuid) -> svc.lease
storage.put_content(_lease svc.lease, _content json) -> void
storage.read(_account uuid, _id uuid) -> json
storage.read_content(_id uuid, _content json) -> svc.lease_content
storage.remove(_account uuid, _id uuid, _condition json) -> void
storage.require_version(_lease svc.lease, _condition json) -> void
storage.reserve_content(_account uuid, _key text, _type text) -> void
storage.view(_lease svc.lease, _content svc.lease_content) -> json
storage.write(_account uuid, _id uuid, _content json, _condition json) -> json
