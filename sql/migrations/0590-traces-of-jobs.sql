-- Where the trace of a call goes on, as the header `traceparent` of W3C; null for what is not traced. A job keeps it, because the
-- webhook that tells of its end belongs to the same trace.
alter table svc.job add column traceparent text;
alter type svc.call add attribute traceparent text;
-- The function that makes such calls has to fit from the same moment: an api is running while a database is upgraded.
create schema if not exists job;
create or replace function job.parse_calls(_batch json) returns svc.call[] language sql stable as $$
  select array_agg(row(ord, id, acct, svc, lane, amt, coalesce(async, false), secs, key, decode(fp, 'hex'),
    coalesce(payload, shut_payload::json), pay, decode(kh, 'hex'), ceil, rate, ins, tp)::svc.call order by acct, ord)
  from rows from (json_to_recordset(_batch) as (id uuid, acct uuid, svc text, lane text, amt bigint, async boolean,
    secs integer, key text, fp text, payload json, shut_payload text, pay json, kh text, ceil bigint, rate text, ins json, tp text))
    with ordinality as c (id, acct, svc, lane, amt, async, secs, key, fp, payload, shut_payload, pay, kh, ceil, rate, ins, tp, ord)
$$;
