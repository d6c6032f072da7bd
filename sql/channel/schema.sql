-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

channel.id  uuid not null
channel.account_id  uuid not null
channel.name  text 
channel.mode  text not null
channel.keeps_history  bool not null
channel.max_messages  int4 not null
channel.max_message_bytes  int4 not null
channel.seq  int4 not null  default 0
channel.created_at  timestamptz not null  default now()
channel.expires_at  timestamptz not null
channel.closed_at  timestamptz 
channel_member.channel_id  uuid not null
channel_member.member  text not null
channel_member.state  text 
channel_member.seen_at  timestamptz not null
channel_member.expires_at  timestamptz not null
channel_message.channel_id  uuid not null
channel_message.seq  int4 not null
channel_message.id  uuid not null
channel_message.sender  text 
channel_message.type  text 
channel_message.recipient  text 
channel_message.reply_to  uuid 
channel_message.dedupe_key  text 
channel_message.body  json not null
channel_message.created_at  timestamptz not null
channel_message.expires_at  timestamptz 
channel_message.visible_at  timestamptz 
channel_message.attempts  int4 not null  default 0
channel_message.receipt  uuid 
channel_message.dead_at  timestamptz 
channel_spent_key.channel_id  uuid not null
channel_spent_key.dedupe_key  text not null
channel_spent_key.id  uuid not null
channel_spent_key.seq  int4 not null
channel_spent_key.body_hash  bytea not null
channel_token.id  uuid not null
channel_token.channel_id  uuid not null
channel_token.token_hash  bytea not null
channel_token.role  text not null
channel_token.label  text 
channel_token.joined_seq  int4 not null
channel_token.created_at  timestamptz not null  default now()
CREATE INDEX channel_by_end ON svc.channel (expires_at)
CREATE INDEX channel_of_account ON svc.channel (account_id, created_at DESC, id)
CREATE UNIQUE INDEX channel_pkey ON svc.channel (id)
CREATE UNIQUE INDEX channel_member_pkey ON svc.channel_member (channel_id, member)
CREATE INDEX channel_message_to_claim ON svc.channel_message (channel_id, visible_at) WHERE (visible_at IS NOT NULL)
CREATE UNIQUE INDEX channel_message_by_dedupe_key ON svc.channel_message (channel_id, dedupe_key) WHERE (dedupe_key IS NOT NULL)
CREATE UNIQUE INDEX channel_message_by_id ON svc.channel_message (channel_id, id)
CREATE UNIQUE INDEX channel_message_pkey ON svc.channel_message (channel_id, seq)
CREATE UNIQUE INDEX channel_message_receipt_key ON svc.channel_message (receipt)
CREATE UNIQUE INDEX channel_spent_key_pkey ON svc.channel_spent_key (channel_id, dedupe_key)
CREATE INDEX channel_token_of_channel ON svc.channel_token (channel_id, created_at, id)
CREATE UNIQUE INDEX channel_token_pkey ON svc.channel_token (id)
CREATE UNIQUE INDEX channel_token_token_hash_key ON svc.channel_token (token_hash)
channel  check CHECK ((mode = ANY (ARRAY['broadcast'::text, 'queue'::text])))
channel  check CHECK ((seq <= max_messages))
channel  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
channel_member  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
channel_message  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
channel_spent_key  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
channel_token  check CHECK ((role = ANY (ARRAY['read'::text, 'write'::text, 'read_write'::text])))
channel_token  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
channel.add_token(_account uuid, _id uuid, _fields json, _max integer) -> json
channel.answer_claims(_visitor json, _receipts uuid[], _seconds integer, _most_attempts integer) -> json
channel.claim(_visitor json, _seconds integer, _limit integer, _most_attempts integer) -> json
channel.close(_account uuid, _id uuid) -> json
channel.erase_account(_account uuid) -> void
channel.export_account(_account uuid) -> json
channel.extend(_job json, _id uuid, _messages integer, _most integer) -> json
channel.find(_visitor json, _token svc.channel_token) -> svc.channel
channel.find_known(_channel uuid, _key text) -> svc.channel_spent_key
channel.find_token(_visitor json, _needed text) -> svc.channel_token
channel.find_wait(_channel uuid) -> integer
channel.forget(_limit integer) -> bigint
channel.format_id(_id uuid) -> text
channel.format_message_id(_id uuid) -> text
channel.is_own(_account uuid, _id uuid) -> boolean
channel.list(_account uuid, _limit integer, _offset integer) -> json
channel.list_members(_channel uuid) -> json
channel.list_tokens(_channel uuid) -> json
channel.locate(_visitor json, _needed text) -> json
channel.move_account(_from uuid, _to uuid) -> void
channel.open(_job json, _fields json, _tokens json, _seconds integer, _max_open integer) -> json
channel.post(_visitor json, _message json, _body json, _seconds integer) -> json
channel.read(_visitor json) -> json
channel.read_members(_visitor json) -> json
channel.read_messages(_visitor json, _filter json, _limit integer) -> json
channel.remove_token(_account uuid, _id uuid, _token uuid) -> json
channel.require_open(_channel svc.channel) -> void
channel.require_queue(_channel svc.channel) -> void
channel.see(_visitor json, _member text, _state text, _seconds integer, _max integer) -> json
channel.show(_channel svc.channel) -> json
channel.show_claim(_message svc.channel_message) -> json
channel.show_message(_message svc.channel_message) -> json
