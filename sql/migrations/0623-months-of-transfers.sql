-- Makes the table of transfers the first month of the table of all months. Nothing is read or moved, so calls wait for a moment.
do $$
begin
  perform set_config('lock_timeout', '100ms', true);
  loop
    begin
      lock table svc.transfer in access exclusive mode;
      exit;
    exception when lock_not_available then
      perform pg_sleep(0.5);
    end;
  end loop;
end $$;

drop view svc.entry;
drop trigger ledger_is_append_only on svc.transfer;
create sequence svc.transfer_number;
select setval('svc.transfer_number', nextval(pg_get_serial_sequence('svc.transfer', 'id')));
alter table svc.transfer alter column id drop identity;
alter table svc.transfer rename to transfer_start;
alter index svc.transfer_pkey rename to transfer_start_pkey;
alter index svc.transfer_line rename to transfer_start_line;
alter index svc.transfer_step rename to transfer_start_step;
alter index svc.transfer_share rename to transfer_start_share;
alter index svc.transfer_refund rename to transfer_start_refund;

create table svc.transfer (
  id bigint not null default nextval('svc.transfer_number'),
  account_id uuid not null,
  job_id uuid,
  kind svc.transfer_kind not null,
  amount_micros bigint not null constraint amount_is_positive check (amount_micros > 0),
  asset text not null default 'USD',
  service_key text,
  reference text,
  created_at timestamptz not null default now()
) partition by range (created_at);
alter sequence svc.transfer_number owned by svc.transfer.id;
create index transfer_line on svc.transfer (account_id, id desc) where kind in ('topup', 'chunk', 'link_in', 'hold', 'charge',
  'refund', 'reversal', 'reversal_debt', 'share', 'share_back', 'share_debt');
create index transfer_step on svc.transfer (job_id) where kind = 'capture' and reference is not null;
create index transfer_share on svc.transfer (job_id) where kind in ('share', 'share_back', 'share_debt');
create index transfer_refund on svc.transfer (job_id) where kind = 'refund';
do $$
begin
  execute format('alter table svc.transfer attach partition svc.transfer_start for values from (minvalue) to (%L)',
    (select ends_at from svc.transfer_month));
end $$;
alter table svc.transfer_start drop constraint transfer_start_ends;

-- Postgres repeats the trigger of rows at each month.
create trigger ledger_is_append_only before update or delete on svc.transfer for each row execute function svc.refuse_change();
create trigger ledger_is_kept before truncate on svc.transfer for each statement execute function svc.refuse_change();

create view svc.entry as
  select t.id as transfer_id, side.ledger, t.account_id, side.sign * t.amount_micros as amount_micros, t.asset, t.created_at
  from svc.transfer t
  join svc.transfer_side s using (kind)
  cross join lateral (values (s.debit, -1), (s.credit, 1)) as side (ledger, sign);
