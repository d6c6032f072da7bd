-- Settings are whole numbers. Fractions were taken before, and stopped what counted by them.
update svc.setting set value = to_jsonb(ceil(value::text::numeric)), updated_at = now()
  where jsonb_typeof(value) = 'number' and value::text::numeric % 1 <> 0;
update svc.setting_change set after = to_jsonb(ceil(after::text::numeric))
  where kind = 'setting' and state = 'scheduled' and jsonb_typeof(after) = 'number' and after::text::numeric % 1 <> 0;
