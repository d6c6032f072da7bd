-- Payments by card, which may come back: refunds and disputes.
create table svc.checkout (
  id uuid primary key,
  account_id uuid not null references svc.account,
  provider text not null check (provider in ('stripe', 'test')),
  amount_micros bigint not null check (amount_micros > 0),
  reference text,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  -- What the provider's later news call the payment.
  intent text,
  -- How a checkout that was not paid came to its end.
  ended text check (ended in ('expired', 'failed'))
);
create index checkout_of_account on svc.checkout (account_id, created_at desc);
create unique index checkout_of_intent on svc.checkout (intent);

-- What a payment provider has told and was acted upon; told again, it changes nothing.
create table svc.billing_event (
  id text primary key,
  checkout_id uuid not null references svc.checkout,
  created_at timestamptz not null default now()
);

-- How much of a checkout is back with the payer now, for each refund and each dispute of it. What is closed moves no more.
create table svc.reversal (
  id text primary key,
  checkout_id uuid not null references svc.checkout,
  taken_micros bigint not null check (taken_micros >= 0),
  is_closed boolean not null,
  told_at timestamptz not null default now()
);
create index reversal_of_checkout on svc.reversal (checkout_id);
