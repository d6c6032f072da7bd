-- Images of identity documents are objects of a kind of their own, which no route for files serves.
alter table svc.object drop constraint object_kind_check;
alter table svc.object add constraint object_kind_check check (kind in ('upload', 'output', 'baton', 'lease', 'identity'));

create table svc.idverify (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  job_id uuid not null,
  charge_micros bigint not null,
  type text not null check (type in ('document', 'liveness', 'biometric')),
  reference_id text,
  metadata json,
  -- What the caller says of the person; it is compared, and not trusted.
  subject json,
  -- What is asked for: documentTypes, countries, minAge.
  terms json not null,
  redirect_url text,
  locale text not null,
  -- Whoever has the link can send images, in the one browser that began.
  token_hash bytea not null unique,
  session_hash bytea,
  -- Digits that the person shows beside the face.
  challenge text not null,
  max_attempts integer not null,
  attempts integer not null default 0 check (attempts <= max_attempts),
  -- Since when images wait to be read.
  reading_since timestamptz,
  -- A typed machine readable zone.
  typed_zone text,
  state text not null default 'created',
  state_at timestamptz not null default now(),
  -- While it is open: why the last images were refused; afterwards: why it was decided so.
  reason_codes text[] not null default '{}',
  decision text check (decision in ('approved', 'declined')),
  reviewed_by text check (reviewed_by in ('provider', 'operator')),
  checks json not null default '[]',
  document json,
  -- Tells whether the account has seen the same document before.
  document_hash bytea,
  age integer,
  similarity real,
  retention_days integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  purge_at timestamptz,
  purged_at timestamptz
);
create index idverify_of_account on svc.idverify (account_id, created_at desc, id);
create index idverify_to_review on svc.idverify (state_at) where state = 'manual_review';
create index idverify_by_document on svc.idverify (account_id, document_hash) where document_hash is not null;

create table svc.idverify_image (
  id uuid primary key,
  verification_id uuid not null references svc.idverify (id) on delete cascade,
  attempt integer not null,
  side text not null check (side in ('front', 'back', 'selfie')),
  object_key text not null,
  content_type text not null,
  size_bytes integer not null,
  created_at timestamptz not null default now(),
  unique (verification_id, attempt, side)
);

-- Links by which an operator's reviewers see all that waits for a decision.
create table svc.idverify_review_link (
  token_hash bytea primary key,
  reviewer text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
