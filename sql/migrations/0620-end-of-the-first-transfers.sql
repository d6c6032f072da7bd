-- Decision 0620: transfers are in a table for each month. What there is becomes the first of them without being moved, because
-- all of it is older than the end of a month: said here, checked by the next migration while calls go on.
create table svc.transfer_month (
  -- Of its table.
  name text primary key,
  ends_at timestamptz not null,
  -- When it was rewritten as what never changes any more.
  frozen_at timestamptz
);
insert into svc.transfer_month (name, ends_at)
  values ('transfer_start', (date_trunc('month', now() at time zone 'utc' + interval '1 day') + interval '1 month') at time zone 'utc');

-- Calls wait for whoever waits for this lock, so it is waited for in short turns.
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
  execute format('alter table svc.transfer add constraint transfer_start_ends check (created_at < %L) not valid',
    (select ends_at from svc.transfer_month));
end $$;
