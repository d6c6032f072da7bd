-- Every movement of money is one row with two sides; the kind says which.
create type svc.transfer_kind as enum ('topup', 'hold', 'raise', 'capture', 'release', 'charge', 'refund',
  -- Payments of wallets.
  'chunk', 'bounce', 'debt', 'repay',
  -- Money that follows a wallet into another account.
  'link_out', 'link_in',
  -- Money that a payment provider has taken back. What was spent already is owed.
  'reversal', 'reversal_debt');

create table svc.transfer (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  job_id uuid,
  kind svc.transfer_kind not null,
  amount_micros bigint not null constraint amount_is_positive check (amount_micros > 0),
  asset text not null default 'USD',
  service_key text,
  reference text,
  created_at timestamptz not null default now()
);
-- The lines a customer sees: one for a job, one for money that came or went.
create index transfer_line on svc.transfer (account_id, id desc)
  where kind in ('topup', 'chunk', 'link_in', 'hold', 'charge', 'refund', 'reversal', 'reversal_debt');
-- What each step of a pipeline cost: captures of one job, with the name of the step. Other captures have no reference.
create index transfer_step on svc.transfer (job_id) where kind = 'capture' and reference is not null;

create table svc.transfer_side (
  kind svc.transfer_kind primary key,
  debit text not null,
  credit text not null
);
insert into svc.transfer_side values
  ('topup', 'funding', 'available'),
  ('hold', 'available', 'held'),
  ('raise', 'available', 'held'),
  ('capture', 'held', 'revenue'),
  ('release', 'held', 'available'),
  ('charge', 'available', 'revenue'),
  ('refund', 'revenue', 'available'),
  ('chunk', 'funding', 'available'),
  ('bounce', 'available', 'funding'),
  ('debt', 'owed', 'funding'),
  ('repay', 'available', 'owed'),
  ('link_out', 'available', 'linking'),
  ('link_in', 'linking', 'available'),
  ('reversal', 'available', 'funding'),
  ('reversal_debt', 'owed', 'funding');

create view svc.entry as
  select t.id as transfer_id, side.ledger, t.account_id, side.sign * t.amount_micros as amount_micros, t.asset, t.created_at
  from svc.transfer t
  join svc.transfer_side s using (kind)
  cross join lateral (values (s.debit, -1), (s.credit, 1)) as side (ledger, sign);

create function svc.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger ledger_is_append_only before update or delete or truncate on svc.transfer
  for each statement execute function svc.refuse_change();
