-- Decision 0044: refunds of cards that are known by their own ids, also those whose payment is not known yet. One that failed
-- has brought nothing back to the payer.
create table svc.card_refund (
  id text primary key,
  charge text not null,
  intent text not null,
  amount_micros bigint not null check (amount_micros > 0),
  is_failed boolean not null,
  told_at timestamptz not null default now()
);
create index card_refund_of_charge on svc.card_refund (charge);
create index card_refund_of_intent on svc.card_refund (intent);

-- The highest amount that events of a refund or dispute have reported. A total may shrink when a refund fails; this does not.
alter table svc.reversal add column reported_micros bigint not null default 0 check (reported_micros >= 0);
update svc.reversal set reported_micros = taken_micros;
