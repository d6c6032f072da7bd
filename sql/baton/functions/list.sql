-- The batons of an account that are in a state, or all.
create or replace function baton.list_in_state(_account uuid, _state text, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(baton.summarize(b) order by b.created_at desc, b.id), '[]')
  from (select * from svc.baton b where b.account_id = _account and (_state is null or baton.state_of(b) = _state)
    order by b.created_at desc, b.id limit _limit offset _offset) b
$$;

-- Processes of the deploy before this one call it; the next deploy drops it.
create or replace function baton.list_account(_account uuid, _limit integer, _offset integer) returns json language sql stable as $$
  select baton.list_in_state(_account, null, _limit, _offset)
$$;

-- One of them with its tokens and what was done last; null if it is not one of the account's.
create or replace function baton.read_account(_account uuid, _id uuid) returns json language sql stable as $$
  select json_build_object('baton', baton.summarize(b), 'tokens', (select coalesce(json_agg(baton.show_token(t) order by t.created_at, t.id), '[]')
      from svc.baton_token t where t.baton_id = b.id),
    'logs', (select coalesce(json_agg(json_build_object('type', l.type, 'writer', l.writer, 'createdAt', l.created_at)
        order by l.id desc), '[]')
      from (select * from svc.baton_log where baton_id = b.id order by id desc limit 20) l))
  from svc.baton b where b.id = _id and b.account_id = _account
$$;

create or replace function baton.state_of(_baton svc.baton) returns text language sql stable as $$
  select coalesce(replace(_baton.deletion, 'owner', 'deleted'),
    case when _baton.expires_at <= now() then 'expired'
      when _baton.witnessed_at is not null then 'witnessed' else 'active' end)
$$;

create or replace function baton.summarize(_baton svc.baton) returns json language sql stable as $$
  select json_build_object('id', _baton.id, 'name', _baton.name, 'preset', _baton.preset, 'tier', _baton.tier,
    'state', baton.state_of(_baton),
    'sizeBytes', _baton.size_bytes, 'storedBytes', _baton.stored_bytes, 'egressBytes', _baton.egress_bytes,
    'egressUsed', _baton.egress_used, 'maxReads', _baton.max_reads, 'readsUsed', _baton.reads_used,
    'maxWrites', _baton.max_writes, 'writesUsed', _baton.writes_used, 'createdAt', _baton.created_at,
    'expiresAt', _baton.expires_at, 'vectors', case when _baton.behaviour = 'vectors' then vector.show(_baton.id) end)
$$;
