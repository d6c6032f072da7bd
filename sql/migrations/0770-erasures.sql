-- What was erased of an account, for its certificate. Those of accounts that were erased before have none.
create table svc.erasure (
  id uuid primary key references svc.account (id),
  -- The account, and those whose wallets had joined it.
  accounts uuid[] not null,
  began_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Records by table, before and after.
  found jsonb not null,
  remaining jsonb,
  files bigint not null default 0,
  -- What was signed when it ended.
  certificate text
);
