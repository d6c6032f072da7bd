-- Signed records of what batons held, and the keys that sign them.
create table svc.signing_key (
  -- The RFC 7638 thumbprint of the public key.
  kid text primary key,
  x text not null,
  -- The private key, encrypted.
  sealed text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- A key that was replaced signs nothing more, but is still published, because records last for years.
  retired_at timestamptz
);
create unique index one_current_signing_key on svc.signing_key ((retired_at is null)) where retired_at is null;

-- Kept apart from batons, so that a record outlives the content.
create table svc.witness (
  baton_id uuid primary key,
  account_id uuid not null,
  -- The call that asked for it; null if the baton was sealed at its end.
  job_id uuid,
  statement json not null,
  jws text not null,
  witnessed_at timestamptz not null,
  retain_until timestamptz not null
);
create index witness_retain_until on svc.witness (retain_until);
