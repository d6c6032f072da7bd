-- The account of the house that pays for what visitors try. There is one.
create table svc.trial (
  is_only boolean primary key default true check (is_only),
  account_id uuid not null references svc.account (id),
  key_prefix text not null
);

-- How often a network has tried something on a day (UTC). The network is a keyed hash.
create table svc.trial_use (
  day date not null,
  network bytea not null,
  uses integer not null,
  primary key (day, network)
);
