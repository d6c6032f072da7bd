-- Deletes asks that ended so many days ago, with their replies, files and logs. Returns how many.
create or replace function ask.forget(_days integer, _limit integer) returns bigint language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.ask where ended_at < now() - make_interval(days => _days) limit _limit
    for update skip locked);
begin
  perform audit.erase_subjects('ask', _ids);
  delete from svc.ask where id = any (_ids);
  return cardinality(_ids);
end $$;

create or replace function ask.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(ask.show(a)::jsonb || jsonb_build_object('files', (
      select coalesce(json_agg(ask.show_file(f)::jsonb || jsonb_build_object('base64', encode(f.content, 'base64'))
        order by f.position, f.id), '[]') from svc.ask_file f where f.ask_id = a.id))
    order by a.created_at, a.id), '[]') from svc.ask a where a.account_id = _account
$$;

create or replace function ask.erase_account(_account uuid) returns void language sql as $$
  delete from svc.ask where account_id = _account
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function ask.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.ask set account_id = _to where account_id = _from;
$$;
