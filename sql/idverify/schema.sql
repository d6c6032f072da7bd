-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

idverify.id  uuid not null
idverify.account_id  uuid not null
idverify.job_id  uuid not null
idverify.charge_micros  int8 not null
idverify.type  text not null
idverify.reference_id  text 
idverify.metadata  json 
idverify.subject  json 
idverify.terms  json not null
idverify.redirect_url  text 
idverify.locale  text not null
idverify.token_hash  bytea not null
idverify.session_hash  bytea 
idverify.challenge  text not null
idverify.max_attempts  int4 not null
idverify.attempts  int4 not null  default 0
idverify.reading_since  timestamptz 
idverify.typed_zone  text 
idverify.state  text not null  default 'created'
idverify.state_at  timestamptz not null  default now()
idverify.reason_codes  _text not null  default '{}'[]
idverify.decision  text 
idverify.reviewed_by  text 
idverify.checks  json not null  default '[]'
idverify.document  json 
idverify.document_hash  bytea 
idverify.age  int4 
idverify.similarity  float4 
idverify.retention_days  int4 not null
idverify.created_at  timestamptz not null  default now()
idverify.updated_at  timestamptz not null  default now()
idverify.expires_at  timestamptz not null
idverify.purge_at  timestamptz 
idverify.purged_at  timestamptz 
idverify.aml  json 
idverify.provider  text 
idverify.provider_ref  text 
idverify.provider_url  text 
idverify.provider_attempt  text 
idverify.polled_at  timestamptz 
idverify_image.id  uuid not null
idverify_image.verification_id  uuid not null
idverify_image.attempt  int4 not null
idverify_image.side  text not null
idverify_image.object_key  text not null
idverify_image.content_type  text not null
idverify_image.size_bytes  int4 not null
idverify_image.created_at  timestamptz not null  default now()
idverify_report.verification_id  uuid not null
idverify_report.object_key  text not null
idverify_report.made_from  timestamptz not null
idverify_review_link.token_hash  bytea not null
idverify_review_link.reviewer  text not null
idverify_review_link.created_at  timestamptz not null  default now()
idverify_review_link.expires_at  timestamptz not null
CREATE INDEX idverify_by_document ON svc.idverify (account_id, document_hash) WHERE (document_hash IS NOT NULL)
CREATE INDEX idverify_of_account ON svc.idverify (account_id, created_at DESC, id)
CREATE INDEX idverify_to_review ON svc.idverify (state_at) WHERE (state = 'manual_review'::text)
CREATE UNIQUE INDEX idverify_by_provider ON svc.idverify (provider, provider_ref) WHERE (provider_ref IS NOT NULL)
CREATE UNIQUE INDEX idverify_pkey ON svc.idverify (id)
CREATE UNIQUE INDEX idverify_token_hash_key ON svc.idverify (token_hash)
CREATE UNIQUE INDEX idverify_image_pkey ON svc.idverify_image (id)
CREATE UNIQUE INDEX idverify_image_verification_id_attempt_side_key ON svc.idverify_image (verification_id, attempt, side)
CREATE UNIQUE INDEX idverify_report_pkey ON svc.idverify_report (verification_id)
CREATE UNIQUE INDEX idverify_review_link_pkey ON svc.idverify_review_link (token_hash)
idverify  check CHECK (((provider IS NOT NULL) OR (provider_ref IS NULL)))
idverify  check CHECK ((attempts <= max_attempts))
idverify  check CHECK ((decision = ANY (ARRAY['approved'::text, 'declined'::text])))
idverify  check CHECK ((reviewed_by = ANY (ARRAY['provider'::text, 'operator'::text])))
idverify  check CHECK ((type = ANY (ARRAY['document'::text, 'liveness'::text, 'biometric'::text])))
idverify  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
idverify_image  check CHECK ((side = ANY (ARRAY['front'::text, 'back'::text, 'selfie'::text, 'frame1'::text, 'frame2'::text, 'frame3'::text, 'frame4'::text, 'frame5'::text])))
idverify_image  check FOREIGN KEY (verification_id) REFERENCES svc.idverify(id) ON DELETE CASCADE
idverify_report  check FOREIGN KEY (verification_id) REFERENCES svc.idverify(id) ON DELETE CASCADE
idverify.add_review_link(_token bytea, _reviewer text, _hours integer) -> timestamp with time zone
idverify.ask_again(_row svc.idverify, _reasons text[]) -> text
idverify.begin_session(_token bytea, _session bytea) -> json
idverify.cancel(_account uuid, _id uuid) -> json
idverify.conclude(_row svc.idverify, _found json, _screening_days integer, _actor text) -> text
idverify.create(_job json, _fields json, _images json, _max_open integer) -> json
idverify.decide(_id uuid, _decision text, _reasons text[], _note text, _reviewer text) -> json
idverify.describe_event(_row svc.idverify, _status text) -> jsonb
idverify.erase_account(_account uuid) -> void
idverify.expire_when_due(_id uuid, _refund_percent integer) -> void
idverify.export_account(_account uuid) -> json
idverify.find(_account uuid, _id uuid) -> svc.idverify
idverify.find_reviewer(_token bytea) -> text
idverify.find_session(_token bytea, _session bytea) -> svc.idverify
idverify.finish_check(_id uuid, _attempt integer, _found json, _screening_days integer) -> text
idverify.format_id(_id uuid) -> text
idverify.give_up(_row svc.idverify) -> void
idverify.is_approved(_account uuid, _id uuid) -> boolean
idverify.is_known_document(_id uuid, _hash bytea) -> boolean
idverify.is_of(_account uuid, _id uuid) -> boolean
idverify.is_over(_state text) -> boolean
idverify.join_provider(_token bytea, _session bytea, _reference text, _url text) -> json
idverify.keep_report(_id uuid, _key text, _size bigint, _made_from timestamp with time zone) -> void
idverify.leave_provider(_row svc.idverify, _erases boolean) -> void
idverify.list(_account uuid, _filter json, _limit integer, _offset integer) -> json
idverify.list_queue(_limit integer) -> json
idverify.mask(_number text) -> text
idverify.move(_id uuid, _to text, _actor text, _detail jsonb) -> svc.idverify
idverify.move_account(_from uuid, _to uuid) -> void
idverify.note_message(_provider text, _reference text) -> boolean
idverify.poll_again(_id uuid) -> void
idverify.postpone_poll(_id uuid) -> void
idverify.purge(_id uuid, _actor text) -> void
idverify.purge_when_due(_id uuid) -> json
idverify.queue_poll(_id uuid, _at timestamp with time zone) -> void
idverify.read(_account uuid, _id uuid, _reveals boolean) -> json
idverify.read_for_review(_id uuid) -> json
idverify.read_session(_token bytea, _session bytea) -> json
idverify.record_result(_id uuid, _found json, _screening_days integer) -> text
idverify.redact(_account uuid, _id uuid) -> json
idverify.refuse_if_over(_row svc.idverify) -> void
idverify.request_poll(_account uuid, _id uuid, _seconds integer) -> boolean
idverify.request_report(_account uuid, _id uuid) -> text
idverify.reserve_image(_account uuid, _key text, _type text) -> void
idverify.review_as_operator(_token bytea, _hours integer) -> void
idverify.show(_row svc.idverify, _reveals boolean) -> json
idverify.show_session(_row svc.idverify) -> json
idverify.submit(_token bytea, _session bytea, _images json) -> json
idverify.take_check(_id uuid, _attempt integer) -> json
idverify.take_images(_id uuid, _images json) -> void
idverify.take_poll(_id uuid) -> json
idverify.take_report(_id uuid) -> json
