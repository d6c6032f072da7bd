-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

contract.id  uuid not null
contract.account_id  uuid not null
contract.job_id  uuid not null
contract.title  text not null
contract.document  text not null
contract.terms_hash  bytea not null
contract.chain_id  int8 not null
contract.reference_id  text 
contract.metadata  json 
contract.supersedes  uuid 
contract.baton_id  uuid not null
contract.copied_entries  int4 not null  default 0
contract.state  text not null  default 'pending'
contract.state_at  timestamptz not null  default now()
contract.created_at  timestamptz not null  default now()
contract.expires_at  timestamptz not null
contract.active_at  timestamptz 
contract_dispute.id  uuid not null
contract_dispute.contract_id  uuid not null
contract_dispute.account_id  uuid not null
contract_dispute.job_id  uuid not null
contract_dispute.charged_micros  int8 not null
contract_dispute.claimant  text not null
contract_dispute.claim  text not null
contract_dispute.relief  text not null
contract_dispute.state  text not null  default 'open'
contract_dispute.evidence_until  timestamptz not null
contract_dispute.attempts  int4 not null  default 0
contract_dispute.last_error  text 
contract_dispute.ruling  json 
contract_dispute.ruling_jws  text 
contract_dispute.created_at  timestamptz not null  default now()
contract_dispute.ended_at  timestamptz 
contract_dispute.ruling_until  timestamptz 
contract_evidence.id  uuid not null
contract_evidence.dispute_id  uuid not null
contract_evidence.position  int4 not null
contract_evidence.party_key  text not null
contract_evidence.title  text not null
contract_evidence.content  text 
contract_evidence.sha256  bytea not null
contract_evidence.created_at  timestamptz not null  default clock_timestamp()
contract_file.evidence_id  uuid not null
contract_file.name  text not null
contract_file.content_type  text not null
contract_file.content  bytea not null
contract_party.id  uuid not null
contract_party.contract_id  uuid not null
contract_party.position  int4 not null
contract_party.key  text not null
contract_party.name  text 
contract_party.role  text 
contract_party.method  text not null
contract_party.address  text 
contract_party.customer_id  uuid 
contract_party.email  text 
contract_party.is_required  bool not null
contract_party.nonce  bytea not null
contract_party.token_hash  bytea not null
contract_party.state  text not null  default 'pending'
contract_party.signature  text 
contract_party.signed_at  timestamptz 
contract_party.signed_by  uuid 
CREATE INDEX contract_of_account ON svc.contract (account_id, created_at DESC, id)
CREATE INDEX contract_superseding ON svc.contract (supersedes) WHERE (supersedes IS NOT NULL)
CREATE UNIQUE INDEX contract_pkey ON svc.contract (id)
CREATE INDEX contract_dispute_of_contract ON svc.contract_dispute (contract_id, created_at)
CREATE UNIQUE INDEX contract_dispute_open ON svc.contract_dispute (contract_id) WHERE (state = ANY (ARRAY['open'::text, 'deliberating'::text]))
CREATE UNIQUE INDEX contract_dispute_pkey ON svc.contract_dispute (id)
CREATE UNIQUE INDEX contract_evidence_dispute_id_position_key ON svc.contract_evidence (dispute_id, "position")
CREATE UNIQUE INDEX contract_evidence_pkey ON svc.contract_evidence (id)
CREATE UNIQUE INDEX contract_file_pkey ON svc.contract_file (evidence_id)
CREATE INDEX contract_party_by_address ON svc.contract_party (address) WHERE (address IS NOT NULL)
CREATE INDEX contract_party_by_customer ON svc.contract_party (customer_id) WHERE (customer_id IS NOT NULL)
CREATE INDEX contract_party_by_email ON svc.contract_party (email) WHERE (email IS NOT NULL)
CREATE UNIQUE INDEX contract_party_contract_id_key_key ON svc.contract_party (contract_id, key)
CREATE UNIQUE INDEX contract_party_pkey ON svc.contract_party (id)
CREATE UNIQUE INDEX contract_party_token_hash_key ON svc.contract_party (token_hash)
contract  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
contract  check FOREIGN KEY (supersedes) REFERENCES svc.contract(id) ON DELETE SET NULL
contract_dispute  check CHECK ((state = ANY (ARRAY['open'::text, 'deliberating'::text, 'ruled'::text, 'withdrawn'::text, 'failed'::text])))
contract_dispute  check FOREIGN KEY (contract_id) REFERENCES svc.contract(id) ON DELETE CASCADE
contract_evidence  check FOREIGN KEY (dispute_id) REFERENCES svc.contract_dispute(id) ON DELETE CASCADE
contract_file  check FOREIGN KEY (evidence_id) REFERENCES svc.contract_evidence(id) ON DELETE CASCADE
contract_party  check CHECK (((method = 'account'::text) = ((customer_id IS NOT NULL) OR (email IS NOT NULL))))
contract_party  check CHECK (((method = 'wallet'::text) = (address IS NOT NULL)))
contract_party  check CHECK ((method = ANY (ARRAY['wallet'::text, 'account'::text])))
contract_party  check CHECK ((state = ANY (ARRAY['pending'::text, 'signed'::text, 'declined'::text])))
contract_party  check FOREIGN KEY (contract_id) REFERENCES svc.contract(id) ON DELETE CASCADE
contract.add_evidence(_who json, _id uuid, _key text, _evidence json, _max_each integer) -> json
contract.add_evidence_of(_row svc.contract, _dispute svc.contract_dispute, _key text, _evidence json, _max_each integer) -> svc.contract_evidence
contract.copy_log(_id uuid) -> void
contract.create(_job json, _fields json, _parties json, _baton json, _invitations json, _max_open integer) -> json
contract.decline(_who json, _key text, _reason text) -> json
contract.emit(_row svc.contract, _event text, _detail json) -> void
contract.end_dispute(_row svc.contract, _dispute svc.contract_dispute, _state text, _actor text) -> json
contract.erase_account(_account uuid) -> void
contract.expire(_id uuid) -> void
contract.export_account(_account uuid) -> json
contract.find(_who json) -> svc.contract
contract.find_dispute(_who json, _id uuid) -> svc.contract_dispute
contract.forget(_days integer, _limit integer) -> bigint
contract.format_dispute_id(_id uuid) -> text
contract.format_id(_id uuid) -> text
contract.format_time(_time timestamp with time zone) -> text
contract.is_account_of(_party svc.contract_party, _account uuid) -> boolean
contract.keep_file(_evidence svc.contract_evidence, _file json, _max_bytes bigint) -> void
contract.list(_account uuid, _state text, _limit integer, _offset integer) -> json
contract.list_due_disputes(_limit integer) -> json
contract.list_identities(_contract uuid) -> text[]
contract.list_inbox(_account uuid, _limit integer) -> json
contract.list_parties_of(_account uuid) -> SETOF svc.contract_party
contract.list_signatures(_contract uuid) -> json
contract.lock(_id uuid) -> svc.contract
contract.move(_row svc.contract, _to text, _actor text, _detail jsonb) -> void
contract.move_account(_from uuid, _to uuid) -> void
contract.names_operator(_id uuid) -> boolean
contract.note_failed_deliberation(_id uuid, _error text, _max_attempts integer) -> boolean
contract.open_dispute(_job json, _who json, _fields json, _evidence json, _max_each integer) -> json
contract.read(_who json) -> json
contract.read_bundle(_who json) -> json
contract.read_dispute(_who json, _id uuid) -> json
contract.read_file(_who json, _id uuid, _position integer) -> TABLE(name text, content_type text, sha256 text, content bytea)
contract.read_file_as_operator(_id uuid, _position integer) -> TABLE(name text, content_type text, sha256 text, content bytea)
contract.read_for_signing(_id uuid, _key text) -> json
contract.require_own_party(_row svc.contract, _who json, _key text) -> text
contract.require_party(_row svc.contract, _key text, _proof json) -> svc.contract_party
contract.require_pending(_row svc.contract) -> void
contract.require_signer(_row svc.contract, _key text) -> void
contract.rule(_id uuid, _ruling json, _jws text, _actor text) -> json
contract.rule_as_operator(_id uuid, _ruling json, _jws text) -> void
contract.show(_row svc.contract, _is_creator boolean) -> json
contract.show_dispute(_dispute svc.contract_dispute) -> json
contract.show_file(_evidence uuid) -> json
contract.show_party(_party svc.contract_party) -> json
contract.sign(_id uuid, _key text, _proof json) -> json
contract.supersede(_row svc.contract) -> void
contract.take_dispute(_id uuid) -> json
contract.withdraw(_account uuid, _id uuid) -> json
contract.withdraw_dispute(_who json, _id uuid) -> json
