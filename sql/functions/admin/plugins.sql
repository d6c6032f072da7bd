-- Operations that an operator has added.

create view admin.plugin as
  select p.file, p.name, p.version, p.fault, p.author_id, p.share_percent, p.changed_at from svc.plugin p;
comment on view admin.plugin is E'@primaryKey file\n@foreignKey (author_id) references admin.account (id)|@fieldName author|@foreignFieldName plugins\nFiles of the folder of plugins: what is in service, and why newer content is refused.';

-- What each operation that is in service here was called and brought in since a moment without what was given back, and what of
-- that went to its author.
create or replace function admin.plugin_calls(_from timestamptz)
returns table (name text, calls bigint, failed bigint, charged_micros bigint, shared_micros bigint) language sql stable as $$
  with ran as (
    select j.service_key, count(*) as calls, count(*) filter (where j.status in ('failed', 'expired')) as failed,
      sum(coalesce(j.charged_micros, 0)) as micros, array_agg(j.id) as ids
    from svc.job j where j.id >= job.first_id(_from) and j.service_key in (select p.name from svc.plugin p) group by 1)
  select r.service_key, r.calls, r.failed, (r.micros - coalesce((select sum(t.amount_micros) from svc.transfer t
      where t.job_id = any (r.ids) and t.kind = 'refund'), 0))::bigint, coalesce((
      select sum(case when t.kind = 'share' then t.amount_micros else -t.amount_micros end) from svc.transfer t
      where t.job_id = any (r.ids) and t.service_key = r.service_key and t.kind in ('share', 'share_back')), 0)::bigint
  from ran r
$$;
