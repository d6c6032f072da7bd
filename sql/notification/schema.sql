-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

notification.id  uuid not null
notification.account_id  uuid not null
notification.name  text not null
notification.key  text not null
notification.recipient  text 
notification.data  jsonb not null
notification.sealed  text 
notification.state  text not null  default 'waiting'
notification.attempts  int4 not null  default 0
notification.last_error  text 
notification.created_at  timestamptz not null  default now()
notification.ended_at  timestamptz 
CREATE INDEX notification_by_age ON svc.notification (created_at)
CREATE INDEX notification_of_account ON svc.notification (account_id, created_at DESC, id DESC)
CREATE UNIQUE INDEX notification_account_id_name_key_key ON svc.notification (account_id, name, key)
CREATE UNIQUE INDEX notification_pkey ON svc.notification (id)
notification  check CHECK (((sealed IS NULL) OR (state = 'waiting'::text)))
notification  check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'kept'::text, 'refused'::text])))
notification  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
notification.erase_account(_account uuid) -> void
notification.export_account(_account uuid) -> json
notification.find_address(_account uuid) -> text
notification.forget(_older_than interval, _limit integer) -> integer
notification.list(_account uuid, _name text, _state text, _limit integer, _offset integer) -> json
notification.move_account(_from uuid, _to uuid) -> void
notification.note_failure(_id uuid, _error text) -> void
notification.queue(_id uuid, _account uuid, _name text, _key text, _recipient text, _data jsonb, _sealed text) -> void
notification.read_waiting(_id uuid) -> json
notification.settle(_id uuid, _state text, _error text) -> void
notification.show(_row svc.notification) -> json
notification.tell_owner(_account uuid, _name text, _key text, _data jsonb) -> void
