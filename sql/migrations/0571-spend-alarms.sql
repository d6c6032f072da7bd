-- What an account wants to be told: that it has spent so much within an hour or a day of UTC.
create table svc.spend_alarm (
  account_id uuid not null references svc.account (id),
  period text not null check (period in ('hour', 'day')),
  limit_micros bigint not null check (limit_micros > 0),
  -- The beginning of the period for which it was told last.
  told_for timestamptz,
  primary key (account_id, period)
);
