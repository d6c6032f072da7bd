-- The batons of an account with all they hold; entries that are files are named by their keys, which are listed as objects.
create or replace function baton.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(b) - '{account_id,chain_head}'::text[] || jsonb_build_object(
      'entries', (select coalesce(json_agg(to_jsonb(e) - '{content,prev,hash,sha256}'::text[]
          || jsonb_build_object('content', encode(e.content, 'base64'), 'sha256', encode(e.sha256, 'hex')) order by e.seq), '[]')
        from svc.baton_entry e where e.baton_id = b.id),
      'tokens', (select coalesce(json_agg(baton.show_token(t) order by t.created_at, t.id), '[]')
        from svc.baton_token t where t.baton_id = b.id),
      'log', (select coalesce(json_agg(to_jsonb(l) - 'baton_id' order by l.id), '[]')
        from svc.baton_log l where l.baton_id = b.id)) order by b.created_at, b.id), '[]')
  from svc.baton b where b.account_id = _account
$$;

-- With S3 an upload does not pass through the api, so a form can still be used after the erasure: once, and not for longer than an
-- upload may take.
create or replace function baton.erase_account(_account uuid) returns void language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.baton where account_id = _account order by id for update);
begin
  perform step.queue('baton.remove-upload', json_build_object('key', o.key), o.created_at + interval '75 minutes', o.key)
    from svc.object o where o.account_id = _account and o.kind = 'baton' and o.size_bytes is null
      and o.created_at > now() - interval '75 minutes';
  perform vector.erase_batons(_ids);
  delete from svc.baton_entry where baton_id = any (_ids);
  delete from svc.baton_write where baton_id = any (_ids);
  delete from svc.baton_draw where baton_id = any (_ids);
  delete from svc.baton_token where baton_id = any (_ids);
  delete from svc.baton_log where baton_id = any (_ids);
  delete from svc.baton where id = any (_ids);
end $$;

create or replace function baton.count_due() returns bigint language sql stable as $$
  select count(*) from svc.baton where purge_at <= now()
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function baton.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.baton set account_id = _to where account_id = _from;
$$;
