-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

trial.is_only  bool not null  default true
trial.account_id  uuid not null
trial.key_prefix  text not null
trial_use.day  date not null
trial_use.network  bytea not null
trial_use.uses  int4 not null
CREATE UNIQUE INDEX trial_pkey ON svc.trial (is_only)
CREATE UNIQUE INDEX trial_use_pkey ON svc.trial_use (day, network)
trial  check CHECK (is_only)
trial  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
trial.admit(_id uuid, _hash bytea, _prefix text, _networks bytea[], _limits integer[], _caps jsonb) -> json
trial.find_account() -> uuid
trial.forget_uses() -> void
trial.fund(_account uuid, _caps jsonb) -> void
trial.open(_id uuid, _hash bytea, _prefix text) -> uuid
