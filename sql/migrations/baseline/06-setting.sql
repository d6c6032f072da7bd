-- What the operator has set while the service runs: settings, and prices.
create table svc.setting (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

create table svc.price (
  service_key text primary key,
  rate_micros bigint not null check (rate_micros >= 0),
  updated_at timestamptz not null default now(),
  -- What a call costs besides its units, where the operator has set that too.
  base_micros bigint check (base_micros >= 0)
);
