-- What an account wants to be told: that its balance is below an amount.
create table svc.balance_alarm (
  account_id uuid primary key references svc.account (id),
  limit_micros bigint not null check (limit_micros > 0),
  -- Told since the balance was last as high as the limit.
  is_told boolean not null default false
);
