create or replace function idverify.add_review_link(_token bytea, _reviewer text, _hours integer) returns timestamptz
language plpgsql as $$
declare
  _end timestamptz;
begin
  delete from svc.idverify_review_link where expires_at <= now();
  insert into svc.idverify_review_link (token_hash, reviewer, expires_at)
    values (_token, _reviewer, now() + make_interval(hours => _hours)) returning expires_at into _end;
  return _end;
end $$;

-- Who reviews by a link.
create or replace function idverify.find_reviewer(_token bytea) returns text language plpgsql stable as $$
declare
  _reviewer text;
begin
  select reviewer into _reviewer from svc.idverify_review_link where token_hash = _token and expires_at > now();
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _reviewer;
end $$;

-- What waits for a decision, the oldest first.
create or replace function idverify.list_queue(_limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', v.id, 'accountId', v.account_id, 'type', v.type, 'since', v.state_at,
    'reasonCodes', v.reason_codes) order by v.state_at, v.id), '[]')
  from (select * from svc.idverify where state = 'manual_review' order by state_at, id limit _limit) v
$$;

-- All that a reviewer decides by.
create or replace function idverify.read_for_review(_id uuid) returns json language plpgsql stable as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return idverify.show(_row, true)::jsonb || jsonb_build_object('subject', _row.subject, 'terms', _row.terms,
    'challenge', _row.challenge,
    'images', (select coalesce(json_agg(json_build_object('id', i.id, 'attempt', i.attempt, 'side', i.side, 'key', i.object_key,
      'type', i.content_type) order by i.attempt desc, i.side), '[]') from svc.idverify_image i where i.verification_id = _id));
end $$;

create or replace function idverify.decide(_id uuid, _decision text, _reasons text[], _note text, _reviewer text) returns json
language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform idverify.refuse_if_over(_row);
  update svc.idverify set decision = _decision, reason_codes = _reasons, reviewed_by = 'operator' where id = _id;
  _row := idverify.move(_id, 'completed', 'operator', jsonb_build_object('decision', _decision, 'reasonCodes', _reasons,
    'aml', _row.aml ->> 'status'));
  perform audit.append('idverify', _id, _row.account_id, 'operator', 'reviewed',
    jsonb_strip_nulls(jsonb_build_object('reviewer', _reviewer, 'note', _note)));
  return idverify.show(_row, false);
end $$;
