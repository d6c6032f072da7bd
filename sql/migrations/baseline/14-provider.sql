-- What was asked of external providers, summed up by day, so that operators can compare it with their bills.
create table svc.provider_usage (
  day date not null,
  provider text not null,
  model text not null,
  calls bigint not null default 0,
  failed bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_micros bigint not null default 0,
  primary key (day, provider, model)
);

-- What geocoding providers answered, where their terms ask to keep it; the key is a digest, so no query is stored.
create table svc.geocode_memory (
  key text primary key,
  answer jsonb not null,
  expires_at timestamptz not null
);
create index on svc.geocode_memory (expires_at);

-- When the next request may be sent to a provider that limits them; all processes take turns.
create table svc.provider_turn (
  provider text primary key,
  next_at timestamptz not null
);
