-- What customers are told of trouble, and how available the service was.
create table svc.incident (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  impact text not null check (impact in ('degraded', 'outage', 'maintenance')),
  -- Ids of components; an empty list is the whole service.
  components text[] not null,
  opened_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  resolved_at timestamptz
);
create index incident_open on svc.incident (opened_at) where resolved_at is null;
create index incident_age on svc.incident (opened_at);

create table svc.incident_update (
  id bigint generated always as identity primary key,
  incident_id uuid not null references svc.incident on delete cascade,
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  text text not null,
  created_at timestamptz not null default now()
);
create index incident_update_of_incident on svc.incident_update (incident_id, id);

-- What a probe of the public address saw of a component in one minute. A day of them makes a row of availability.
create table svc.probe (
  minute timestamptz not null,
  component text not null,
  is_up boolean not null,
  primary key (minute, component)
);
create table svc.availability (
  day date not null,
  component text not null,
  up_minutes integer not null,
  probed_minutes integer not null check (probed_minutes >= up_minutes),
  primary key (day, component)
);
