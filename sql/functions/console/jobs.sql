-- The newest jobs that fit; what is null does not matter. The time is bounded by the ids, which are ordered by it.
create or replace function console.search_jobs(_account uuid, _operation text, _status svc.job_status, _problem text, _lane text,
  _from timestamptz, _to timestamptz, _first integer, _offset integer) returns setof admin.job language plpgsql stable as $$
begin
  return query select * from admin.job j
    where (_account is null or j.account_id = _account) and (_operation is null or j.service_key = _operation)
      and (_status is null or j.status = _status) and (_problem is null or j.problem_code = _problem)
      and (_lane is null or j.lane = _lane)
      and (_from is null or j.id >= job.first_id(_from)) and (_to is null or j.id < job.first_id(_to))
    order by j.id desc limit _first offset _offset;
end $$;

create or replace function console.find_job(_id uuid) returns admin.job language plpgsql stable as $$
declare
  _job admin.job;
begin
  select * into _job from admin.job j where j.id = _id;
  if _job.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _job;
end $$;

-- What a refund of all calls of an account, of one operation or of both within some time would give back.
create or replace function console.refundable(_account uuid, _operation text, _from timestamptz, _to timestamptz,
  out jobs bigint, out amount_micros bigint) language sql stable as $$
  select count(*), coalesce(sum(j.charged_micros - j.refunded_micros), 0)::bigint from admin.job j
  where j.id >= job.first_id(_from) and j.id < job.first_id(_to) and j.charged_micros > 0
    and j.charged_micros > j.refunded_micros
    and (_account is null or j.account_id = _account) and (_operation is null or j.service_key = _operation)
$$;

create or replace function console.refund_rest(_id uuid) returns bigint language plpgsql as $$
declare
  _left bigint;
begin
  select j.charged_micros - j.refunded_micros into _left from admin.job j where j.id = _id;
  perform ledger.refund(_id, _left);
  return greatest(_left, 0);
end $$;
