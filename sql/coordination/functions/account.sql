-- What belongs to an account alone, by kind and name. Of a barrier it is the last round.
create or replace function coordination.list(_account uuid, _kind text, _after text, _limit integer) returns json
language sql volatile as $$
  select coordination.list_of(_account, null, _kind, _after, _limit)
$$;

-- What belongs to one of an account's channels, or to none of them.
create or replace function coordination.list_of(_account uuid, _channel uuid, _kind text, _after text, _limit integer) returns json
language sql volatile as $$
  select coalesce(json_agg(n.shown order by n.sort_key), '[]') from (
    select a.* from (
      select 'barrier ' || coordination.show_name(b.name) as sort_key, 'barrier' as kind,
        coordination.show_barrier(b)::jsonb || '{"kind":"barrier"}' as shown
      from (select distinct on (name) * from svc.coordination_barrier
        where account_id = _account and channel_id is not distinct from _channel order by name, round desc) b
      union all
      select 'counter ' || coordination.show_name(c.name), 'counter',
        coordination.show_counter(c)::jsonb || '{"kind":"counter"}'
      from svc.coordination_counter c where c.account_id = _account and c.channel_id is not distinct from _channel
      union all
      select 'lock ' || coordination.show_name(l.name), 'lock', coordination.show_lock(l)::jsonb || '{"kind":"lock"}'
      from svc.coordination_lock l where l.account_id = _account and l.channel_id is not distinct from _channel) a
    where a.kind = coalesce(_kind, a.kind) and (_after is null or a.sort_key collate "C" > _after collate "C")
    order by a.sort_key collate "C" limit _limit) n
$$;

-- Deletes locks and rounds of barriers that were over so many days ago. Returns how many.
create or replace function coordination.forget(_days integer, _limit integer) returns bigint language sql as $$
  with gone_locks as (
    delete from svc.coordination_lock where (account_id, name) in (select account_id, name from svc.coordination_lock
      where expires_at < now() - make_interval(days => _days) limit _limit for update skip locked) returning 1),
  gone_barriers as (
    delete from svc.coordination_barrier where (account_id, name, round) in (
      select account_id, name, round from svc.coordination_barrier
      where expires_at < now() - make_interval(days => _days) limit _limit for update skip locked) returning 1)
  select (select count(*) from gone_locks) + (select count(*) from gone_barriers)
$$;

create or replace function coordination.export_account(_account uuid) returns json language sql volatile as $$
  select (coordination.list(_account, null, null, null)::jsonb || coalesce((
    select jsonb_agg(n.shown || jsonb_build_object('channel', channel.format_id(c.id)))
    from svc.channel c, jsonb_array_elements(coordination.list_of(_account, c.id, null, null, null)::jsonb) n (shown)
    where c.account_id = _account), '[]'))::json
$$;

create or replace function coordination.erase_account(_account uuid) returns void language sql as $$
  delete from svc.coordination_lock where account_id = _account;
  delete from svc.coordination_barrier where account_id = _account;
  delete from svc.coordination_counter where account_id = _account;
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
-- Of two of one name, that of the other account stays.
create or replace function coordination.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.coordination_lock l set account_id = _to where l.account_id = _from
    and not exists (select from svc.coordination_lock o where o.account_id = _to and o.name = l.name);
  update svc.coordination_counter c set account_id = _to where c.account_id = _from
    and not exists (select from svc.coordination_counter o where o.account_id = _to and o.name = c.name);
  update svc.coordination_barrier b set account_id = _to where b.account_id = _from
    and not exists (select from svc.coordination_barrier o where o.account_id = _to and o.name = b.name);
$$;
