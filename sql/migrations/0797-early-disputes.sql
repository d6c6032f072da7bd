-- Decision 0044: disputes, and totals of refunds, whose payment is not known yet. Their messages may overtake that of the payment.
create table svc.early_reversal (
  id text primary key,
  intent text not null,
  reported_micros bigint not null check (reported_micros >= 0),
  is_closed boolean not null,
  told_at timestamptz not null default now()
);
create index early_reversal_of_intent on svc.early_reversal (intent);
