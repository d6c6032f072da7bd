-- The functions of mailboxes, checkpoints, storage leases and hand-offs are now in the schemas of these names.
do $$
declare
  _function regprocedure;
begin
  for _function in
    select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lease' and p.proname = any ('{create_mailbox,view_mailbox,find_mailbox,lock_mailbox,read_mailbox,list_mailboxes,delete_mailbox,rotate_drop_token,read_drop_terms,drop_message,require_room,view_receipt,list_messages,read_message,delete_message,create_checkpoint,find_checkpoint,lock_checkpoint,load_checkpoint,write_checkpoint,view_version,list_versions,delete_checkpoint,list_checkpoints,reserve_content,create_storage,read_content,put_content,drop_contents,view_storage,find_storage,read_storage,list_storage,write_storage,delete_storage,issue_handoff,view_handoff,read_handoff,preview_handoff,require_claimable,claim,require_claimant,complete_claim}')
  loop
    execute format('drop function %s', _function);
  end loop;
end $$;
