-- Payments by card that come back: refunds and disputes. What is spent already is owed.
insert into svc.transfer_side values
  ('reversal', 'available', 'funding'),
  ('reversal_debt', 'owed', 'funding');
drop index svc.transfer_line;
create index transfer_line on svc.transfer (account_id, id desc)
  where kind in ('topup', 'chunk', 'link_in', 'hold', 'charge', 'refund', 'reversal', 'reversal_debt');

-- `intent` is what the provider's later news call the payment; `ended` says how a checkout that was not paid came to its end.
alter table svc.checkout
  add column intent text,
  add column ended text check (ended in ('expired', 'failed'));
create unique index checkout_of_intent on svc.checkout (intent);

-- How much of a checkout is back with the payer now, for each refund and each dispute of it. What is closed moves no more.
create table svc.reversal (
  id text primary key,
  checkout_id uuid not null references svc.checkout,
  taken_micros bigint not null check (taken_micros >= 0),
  is_closed boolean not null,
  told_at timestamptz not null default now()
);
create index reversal_of_checkout on svc.reversal (checkout_id);

-- What is swept by age is found by age.
create index wallet_challenge_age on svc.wallet_challenge (expires_at);
create index sign_in_link_age on svc.sign_in_link (expires_at);
create index used_nonce_age on svc.used_nonce (expires_at);
create index session_age on svc.session (seen_at);
