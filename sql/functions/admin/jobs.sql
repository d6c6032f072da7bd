-- Jobs: what was called, how it went, and what support does about it.

create view admin.job as
  select j.id, j.account_id, j.service_key, j.lane, j.status, j.attempt, j.lost, j.crashed, j.is_async, j.held_micros,
    coalesce(j.charged_micros, 0) as charged_micros, j.ceiling_micros, j.asset, j.created_at, j.started_at, j.finished_at,
    j.deadline_at, j.worker_id, j.ran_ms, j.idempotency_key, j.progress::jsonb as progress,
    j.problem ->> 'code' as problem_code, j.problem::jsonb as problem,
    (extract(epoch from j.finished_at - j.started_at) * 1000)::integer as run_ms,
    (extract(epoch from j.started_at - j.created_at) * 1000)::integer as wait_ms,
    (select k.prefix from svc.api_key k where k.hash = j.key_hash) as key_prefix,
    (select coalesce(sum(t.amount_micros), 0)::bigint from svc.transfer t where t.job_id = j.id and t.kind = 'refund') as refunded_micros
  from svc.job j;
comment on view admin.job is E'@primaryKey id\n@foreignKey (account_id) references admin.account (id)|@fieldName account|@foreignFieldName jobs\n@behavior +attribute:filterBy\nOne run of an operation or of a priced route.';


-- Ends a job that has not ended, and releases what it holds.
create or replace function admin.cancel_job(_id uuid, _reason text) returns admin.job language plpgsql volatile as $$
declare
  _before admin.job;
begin
  perform operator.require('support');
  perform console.require_reason(_reason);
  _before := console.find_job(_id);
  if job.cancel(null, _id) <> 'cancelled' then
    raise exception 'JOB_FINISHED' using errcode = 'SVC01';
  end if;
  perform operator.record('job.cancel', _id::text, jsonb_build_object('status', _before.status), '{"status":"failed"}', _reason);
  return console.find_job(_id);
end $$;

-- Starts a job that waits for its next attempt at once.
create or replace function admin.retry_job(_id uuid) returns admin.job language plpgsql volatile as $$
begin
  perform operator.require('support');
  perform console.find_job(_id);
  if job.run_now(_id) <> 'hurried' then
    raise exception 'JOB_FINISHED' using errcode = 'SVC01';
  end if;
  perform operator.record('job.retry', _id::text, null, null, null);
  return console.find_job(_id);
end $$;

-- Gives back what a job was charged; without an amount all that was not given back yet.
create or replace function admin.refund_job(_id uuid, _amount_micros bigint, _reason text) returns admin.job
language plpgsql volatile as $$
declare
  _before admin.job;
  _after admin.job;
  _left bigint;
begin
  perform operator.require('support');
  perform operator.require_first_sending();
  perform console.require_reason(_reason);
  perform from svc.job where id = _id for no key update;
  _before := console.find_job(_id);
  _left := _before.charged_micros - _before.refunded_micros;
  if coalesce(_amount_micros, _left) not between 1 and _left then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01',
      detail = json_build_object('field', 'amount', 'min', '0.000001', 'max', console.usd(_left))::text;
  end if;
  perform ledger.refund(_id, coalesce(_amount_micros, _left));
  _after := console.find_job(_id);
  perform operator.record('job.refund', _id::text, jsonb_build_object('refundedMicros', _before.refunded_micros::text),
    jsonb_build_object('refundedMicros', _after.refunded_micros::text, 'account', _after.account_id), _reason);
  return _after;
end $$;

-- Gives back what all these calls were charged. The amount is what the operator has seen: if it has changed, nothing is given.
create or replace function admin.refund_jobs(_account uuid, _operation text, _from timestamptz, _to timestamptz,
  _amount_micros bigint, _reason text) returns bigint language plpgsql volatile as $$
declare
  _job record;
  _total bigint := 0;
  _jobs bigint := 0;
begin
  perform operator.require('full');
  perform console.require_reason(_reason);
  if (_account is null and _operation is null) or _to - _from > interval '92 days' then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01', detail =
      '{"field":"account","reason":"Name an account or an operation, and at most 92 days."}';
  end if;
  for _job in select j.id from svc.job j where j.id >= job.first_id(_from) and j.id < job.first_id(_to) and j.charged_micros > 0
      and (_account is null or j.account_id = _account) and (_operation is null or j.service_key = _operation)
      order by j.account_id, j.id for no key update loop
    _jobs := _jobs + 1;
    _total := _total + console.refund_rest(_job.id);
  end loop;
  if _total is distinct from _amount_micros then
    raise exception 'VERSION_CONFLICT' using errcode = 'SVC01', detail = json_build_object('amountMicros', _total::text)::text;
  end if;
  perform operator.record('job.refund_range', coalesce(_account::text, _operation), null, jsonb_strip_nulls(jsonb_build_object(
    'operation', _operation, 'from', _from, 'to', _to, 'jobs', _jobs, 'amountMicros', _total::text)), _reason);
  return _total;
end $$;
