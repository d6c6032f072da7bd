create table svc.worker (
  id uuid primary key,
  host text not null,
  pid integer not null,
  pools text[] not null default '{}',
  lanes jsonb not null default '{}',
  tools jsonb not null default '[]',
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
) with (fillfactor = 30);
