-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

connector.id  uuid not null
connector.account_id  uuid not null
connector.client_id  text not null
connector.key_hash  bytea not null
connector.redirect_host  text not null
connector.scopes  _text not null
connector.created_at  timestamptz not null  default now()
connector.approved_at  timestamptz not null  default now()
connector.revoked_at  timestamptz 
CREATE UNIQUE INDEX connector_key_hash_key ON svc.connector (key_hash)
CREATE UNIQUE INDEX connector_of_client ON svc.connector (account_id, client_id) WHERE (revoked_at IS NULL)
CREATE UNIQUE INDEX connector_pkey ON svc.connector (id)
connector  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
connector  check FOREIGN KEY (key_hash) REFERENCES svc.api_key(hash)
connector.add_token(_hash bytea, _kind text, _connector svc.connector, _family uuid, _resource text, _scopes text[], _seconds integer) -> void
connector.approve(_account uuid, _id uuid, _key bytea, _code bytea, _approval jsonb, _seconds integer) -> void
connector.check_invariants() -> TABLE(rule text, subject text)
connector.count_due() -> bigint
connector.end_family(_family uuid) -> void
connector.erase_account(_account uuid) -> void
connector.export_account(_account uuid) -> json
connector.find_client(_id text) -> TABLE(name text, redirect_uris text[])
connector.forget_expired(_limit integer) -> integer
connector.limit(_account uuid, _id uuid, _daily_cap bigint) -> void
connector.list_scopes(_connector svc.connector) -> text[]
connector.move_account(_from uuid, _to uuid) -> void
connector.redeem_code(_code bytea, _request jsonb, _access bytea, _refresh bytea, _access_seconds integer, _refresh_seconds integer) -> json
connector.refresh(_token bytea, _request jsonb, _access bytea, _refresh bytea, _access_seconds integer, _refresh_seconds integer) -> json
connector.register_client(_id text, _name text, _redirect_uris text[], _max_waiting integer) -> void
connector.revoke(_account uuid, _id uuid) -> void
connector.revoke_token(_hash bytea, _client text) -> void
connector.show(_account uuid) -> json
connector.use_token(_hash bytea) -> TABLE(account_id uuid, is_suspended boolean, mode text, prefix text, key_hash bytea, scopes text[], resource text, expires_at timestamp with time zone)
