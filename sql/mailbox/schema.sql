-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

mailbox_message.lease_id  uuid not null
mailbox_message.id  uuid not null
mailbox_message.body  bytea not null
mailbox_message.size_bytes  int4 not null
mailbox_message.sha256  bytea not null
mailbox_message.content_type  text not null
mailbox_message.filename  text 
mailbox_message.idempotency_key  text 
mailbox_message.received_at  timestamptz not null  default now()
mailbox_message.read_at  timestamptz 
CREATE UNIQUE INDEX mailbox_message_of_key ON svc.mailbox_message (lease_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)
CREATE UNIQUE INDEX mailbox_message_pkey ON svc.mailbox_message (lease_id, id)
mailbox.buy(_job json, _fields json, _seconds integer, _token_hash bytea, _webhook json) -> json
mailbox.drop_message(_token_hash bytea, _body bytea, _type text, _filename text, _key text) -> json
mailbox.export_account(_account uuid) -> json
mailbox.find(_account uuid, _id uuid) -> svc.lease
mailbox.list(_account uuid, _limit integer, _offset integer) -> json
mailbox.list_messages(_account uuid, _id uuid, _after uuid, _is_unread boolean, _limit integer) -> json
mailbox.lock(_account uuid, _id uuid) -> svc.lease
mailbox.read(_account uuid, _id uuid) -> json
mailbox.read_drop_terms(_token_hash bytea) -> json
mailbox.read_message(_account uuid, _id uuid, _message uuid, _is_marked boolean) -> TABLE(body bytea, content_type text, filename text, sha256 text, received_at timestamp with time zone, expires_at timestamp with time zone)
mailbox.remove(_account uuid, _id uuid) -> void
mailbox.remove_message(_account uuid, _id uuid, _message uuid) -> void
mailbox.require_room(_lease svc.lease, _bytes integer) -> void
mailbox.rotate_drop_token(_account uuid, _id uuid, _token_hash bytea) -> json
mailbox.view(_lease svc.lease) -> json
mailbox.view_receipt(_lease svc.lease, _message svc.mailbox_message) -> json
