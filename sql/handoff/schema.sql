-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

handoff.id  uuid not null
handoff.lease_id  uuid not null
handoff.token_hash  bytea not null
handoff.expires_at  timestamptz not null
handoff.max_claims  int4 not null
handoff.claims  int4 not null  default 0
handoff.pin_hash  bytea 
handoff.pin_faults  int4 not null  default 0
handoff.wallet  text 
handoff.email  text 
handoff.note  text 
handoff.claimed_at  timestamptz 
handoff.revoked_at  timestamptz 
handoff.created_at  timestamptz not null  default now()
handoff.account_id  uuid not null
handoff.state  text not null  default 'issued'
handoff.state_at  timestamptz not null  default now()
handoff_claim.receipt_hash  bytea not null
handoff_claim.handoff_id  uuid not null
handoff_claim.claimed_at  timestamptz not null  default clock_timestamp()
handoff_claim.completed_at  timestamptz 
CREATE INDEX handoff_of_lease ON svc.handoff (lease_id)
CREATE UNIQUE INDEX handoff_pkey ON svc.handoff (id)
CREATE UNIQUE INDEX handoff_token_hash_key ON svc.handoff (token_hash)
CREATE INDEX handoff_claim_of_handoff ON svc.handoff_claim (handoff_id)
CREATE UNIQUE INDEX handoff_claim_pkey ON svc.handoff_claim (receipt_hash)
handoff  check CHECK ((claims <= max_claims))
handoff  check CHECK ((max_claims > 0))
handoff.claim(_token bytea, _account uuid, _pin bytea, _receipt bytea, _is_repeat boolean) -> json
handoff.complete_claim(_receipt bytea) -> void
handoff.count_claim(_handoff svc.handoff) -> void
handoff.expire(_id uuid) -> void
handoff.export_account(_account uuid) -> json
handoff.issue(_account uuid, _id uuid, _handoff json) -> json
handoff.move_account(_from uuid, _to uuid) -> void
handoff.preview(_token bytea) -> json
handoff.read(_account uuid, _id uuid, _revokes boolean) -> json
handoff.require_claimable(_handoff svc.handoff) -> void
handoff.require_claimant(_handoff svc.handoff, _account uuid) -> void
handoff.view(_handoff svc.handoff, _lease svc.lease) -> json
