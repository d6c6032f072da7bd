-- A name that belongs to a channel is stored with the account of its owner, and begins with the id of the channel and a slash,
-- which no name of an account contains. It goes with its channel.
alter table svc.coordination_lock add column channel_id uuid references svc.channel (id) on delete cascade;
alter table svc.coordination_barrier add column channel_id uuid references svc.channel (id) on delete cascade;
alter table svc.coordination_counter add column channel_id uuid references svc.channel (id) on delete cascade;
create index coordination_lock_of_channel on svc.coordination_lock (channel_id) where channel_id is not null;
create index coordination_barrier_of_channel on svc.coordination_barrier (channel_id) where channel_id is not null;
create index coordination_counter_of_channel on svc.coordination_counter (channel_id) where channel_id is not null;
