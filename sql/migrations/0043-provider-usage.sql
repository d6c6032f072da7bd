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
