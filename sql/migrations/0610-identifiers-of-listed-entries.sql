-- By what an entry is found whose names are unlike: the folded values of its identifiers, short ones with their country.
-- New entries get them from the load (tasks/products/screening/matching/identifiers.ts).
alter table svc.screening_entity add column identifiers text[] not null default '{}';
update svc.screening_entity e set identifiers = array(
  select distinct case when length(f.value) < 6 then f.country || ' ' || f.value else f.value end
  from (
    select nullif(i ->> 'country', '') as country,
      case
        when i ->> 'type' = 'crypto' and i ->> 'value' ~* '^0x' then lower(btrim(i ->> 'value'))
        when i ->> 'type' = 'crypto' then btrim(i ->> 'value')
        when i ->> 'type' = 'imo' then regexp_replace(b.bare, '^IMO', '')
        else b.bare
      end as value
    from jsonb_array_elements(e.body -> 'identifiers') i,
      regexp_replace(upper(i ->> 'value'), '[^A-Z0-9]', '', 'g') as b (bare)) f
  where length(f.value) between 6 and 100 or (length(f.value) between 4 and 5 and f.country is not null))
where jsonb_array_length(e.body -> 'identifiers') > 0;
create index screening_entity_by_identifier on svc.screening_entity using gin (identifiers) with (gin_pending_list_limit = 256);
