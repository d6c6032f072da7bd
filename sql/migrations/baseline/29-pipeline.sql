-- Pipelines that accounts have saved. A version never changes.
create table svc.pipeline (
  account_id uuid not null references svc.account,
  name text not null,
  version integer not null check (version > 0),
  definition json not null,
  created_at timestamptz not null default now(),
  primary key (account_id, name, version)
);
