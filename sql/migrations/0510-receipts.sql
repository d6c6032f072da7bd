-- What a receipt says of a call beside what its job has: the hash of the request, the rate of its price with the unit, such as
-- '1000 page', and its input files with their hashes, as far as these were known when it was booked.
alter table svc.job add column request_hash bytea, add column rate text, add column inputs json;
alter type svc.call add attribute rate text, add attribute inputs json;
-- The function that makes such calls has to fit from the same moment: an api is running while a database is upgraded.
create schema if not exists job;
create or replace function job.parse_calls(_batch json) returns svc.call[] language sql stable as $$
  select array_agg(row(ord, id, acct, svc, lane, amt, coalesce(async, false), secs, key, decode(fp, 'hex'),
    coalesce(payload, shut_payload::json), pay, decode(kh, 'hex'), ceil, rate, ins)::svc.call order by acct, ord)
  from rows from (json_to_recordset(_batch) as (id uuid, acct uuid, svc text, lane text, amt bigint, async boolean,
    secs integer, key text, fp text, payload json, shut_payload text, pay json, kh text, ceil bigint, rate text, ins json))
    with ordinality as c (id, acct, svc, lane, amt, async, secs, key, fp, payload, shut_payload, pay, kh, ceil, rate, ins, ord)
$$;
-- A receipt names the transaction that paid for its job. Draw-downs have none, and are far more.
create index payment_of_job on svc.payment (job_id) where chunk_id is not null;
