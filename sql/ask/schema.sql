-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

ask.id  uuid not null
ask.account_id  uuid not null
ask.job_id  uuid not null
ask.thread_id  text not null
ask.reference_id  text 
ask.metadata  json 
ask.kind  text not null
ask.urgency  text not null
ask.question  text not null
ask.context  json 
ask.options  json 
ask.form  json 
ask.proposal  json 
ask.allows_comment  bool not null
ask.allows_edit  bool not null
ask.needed  int4 not null
ask.voters  int4 not null
ask.denial_ends  bool not null
ask.default_reply  json 
ask.reminders  _timestamptz not null  default '{}'[]
ask.reminded_at  timestamptz 
ask.state  text not null  default 'open'
ask.state_at  timestamptz not null  default now()
ask.outcome  text 
ask.created_at  timestamptz not null  default now()
ask.expires_at  timestamptz not null
ask.ended_at  timestamptz 
ask_file.id  uuid not null
ask_file.ask_id  uuid not null
ask_file.position  int4 not null
ask_file.recipient_id  uuid 
ask_file.name  text not null
ask_file.content_type  text not null
ask_file.sha256  bytea not null
ask_file.content  bytea not null
ask_recipient.id  uuid not null
ask_recipient.ask_id  uuid not null
ask_recipient.position  int4 not null
ask_recipient.name  text 
ask_recipient.kind  text not null
ask_recipient.address  text 
ask_recipient.token_hash  bytea not null
ask_recipient.sealed_url  text not null
ask_recipient.step  int4 not null
ask_recipient.ask_at  timestamptz not null
ask_recipient.asked_at  timestamptz 
ask_recipient.delivery  text not null
ask_recipient.delivery_error  text 
ask_reply.id  uuid not null  default gen_random_uuid()
ask_reply.ask_id  uuid not null
ask_reply.recipient_id  uuid not null
ask_reply.seq  int4 not null
ask_reply.name  text 
ask_reply.decision  text 
ask_reply.value  json 
ask_reply.comment  text 
ask_reply.edited_proposal  json 
ask_reply.method  text not null
ask_reply.created_at  timestamptz not null  default clock_timestamp()
CREATE INDEX ask_by_end ON svc.ask (ended_at) WHERE (ended_at IS NOT NULL)
CREATE INDEX ask_due ON svc.ask (account_id, expires_at) WHERE (ended_at IS NULL)
CREATE INDEX ask_of_account ON svc.ask (account_id, created_at DESC, id)
CREATE UNIQUE INDEX ask_pkey ON svc.ask (id)
CREATE INDEX ask_file_of_ask ON svc.ask_file (ask_id, "position")
CREATE UNIQUE INDEX ask_file_pkey ON svc.ask_file (id)
CREATE INDEX ask_recipient_by_address ON svc.ask_recipient (kind, address)
CREATE UNIQUE INDEX ask_recipient_ask_id_position_key ON svc.ask_recipient (ask_id, "position")
CREATE UNIQUE INDEX ask_recipient_pkey ON svc.ask_recipient (id)
CREATE UNIQUE INDEX ask_recipient_token_hash_key ON svc.ask_recipient (token_hash)
CREATE INDEX ask_reply_of_recipient ON svc.ask_reply (recipient_id)
CREATE UNIQUE INDEX ask_reply_ask_id_seq_key ON svc.ask_reply (ask_id, seq)
CREATE UNIQUE INDEX ask_reply_pkey ON svc.ask_reply (id)
ask  check CHECK ((kind = ANY (ARRAY['approval'::text, 'choice'::text, 'text'::text, 'number'::text, 'form'::text, 'file'::text])))
ask  check CHECK ((needed > 0))
ask  check CHECK ((outcome = ANY (ARRAY['approved'::text, 'denied'::text, 'choice'::text, 'answered'::text, 'timeout'::text])))
ask  check CHECK ((voters >= needed))
ask  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
ask_file  check FOREIGN KEY (ask_id) REFERENCES svc.ask(id) ON DELETE CASCADE
ask_file  check FOREIGN KEY (recipient_id) REFERENCES svc.ask_recipient(id) ON DELETE CASCADE
ask_recipient  check CHECK ((delivery = ANY (ARRAY['none'::text, 'waiting'::text, 'sent'::text, 'failed'::text])))
ask_recipient  check CHECK ((kind = ANY (ARRAY['link'::text, 'email'::text, 'slack'::text, 'telegram'::text, 'sms'::text, 'webhook'::text, 'wallet'::text, 'channel'::text])))
ask_recipient  check FOREIGN KEY (ask_id) REFERENCES svc.ask(id) ON DELETE CASCADE
ask_reply  check FOREIGN KEY (ask_id) REFERENCES svc.ask(id) ON DELETE CASCADE
ask_reply  check FOREIGN KEY (recipient_id) REFERENCES svc.ask_recipient(id) ON DELETE CASCADE
ask.cancel(_account uuid, _id uuid) -> json
ask.close(_ask svc.ask, _state text, _outcome text, _actor text) -> svc.webhook_emission
ask.close_late(_ask svc.ask) -> svc.webhook_emission
ask.count_replies(_ask svc.ask, _actor text) -> void
ask.end_due(_ask svc.ask, _now timestamp with time zone) -> void
ask.erase_account(_account uuid) -> void
ask.export_account(_account uuid) -> json
ask.find_recipient(_token bytea) -> svc.ask_recipient
ask.finish(_ask svc.ask, _state text, _outcome text, _actor text) -> void
ask.follow_mail(_recipient uuid, _key text) -> void
ask.forget(_days integer, _limit integer) -> bigint
ask.format_id(_id uuid) -> text
ask.is_shared(_asked svc.ask_recipient) -> boolean
ask.list(_account uuid, _filter json, _limit integer, _offset integer) -> json
ask.list_inbox(_account uuid, _limit integer) -> json
ask.list_replies(_ask uuid) -> json
ask.move_account(_from uuid, _to uuid) -> void
ask.name_recipient(_recipient svc.ask_recipient) -> text
ask.name_recipients(_ask uuid) -> jsonb
ask.note_delivery(_recipient uuid, _reason text) -> void
ask.note_failed_attempt(_recipient uuid, _reason text) -> void
ask.open(_job json, _fields json, _recipients json, _files json, _times json, _max_open integer) -> json
ask.post_to_channel(_recipient uuid, _message uuid, _body json, _key text) -> text
ask.queue_delivery(_asked svc.ask_recipient, _occasion text) -> void
ask.queue_mail_check(_recipient uuid, _key text, _at timestamp with time zone) -> void
ask.queue_timer(_ask svc.ask) -> void
ask.read(_account uuid, _id uuid) -> json
ask.read_delivery(_recipient uuid) -> json
ask.read_file(_account uuid, _ask uuid, _token bytea, _file uuid) -> TABLE(name text, content_type text, sha256 text, content bytea)
ask.read_for_reply(_token bytea) -> json
ask.remind(_account uuid, _id uuid, _seconds integer) -> json
ask.remind_all(_ask svc.ask, _actor text) -> void
ask.reply(_token bytea, _reply json, _file json, _account uuid) -> json
ask.require(_account uuid, _id uuid) -> svc.ask
ask.require_channels(_account uuid, _recipients json) -> void
ask.require_open(_ask svc.ask) -> void
ask.run_due(_id uuid) -> void
ask.show(_ask svc.ask) -> json
ask.show_file(_file svc.ask_file) -> json
ask.show_for_reply(_ask svc.ask, _asked svc.ask_recipient) -> json
ask.show_recipient(_row svc.ask_recipient) -> json
