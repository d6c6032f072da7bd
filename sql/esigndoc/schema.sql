-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

esigndoc.add_days(_at timestamp with time zone, _days integer, _zone text) -> timestamp with time zone
esigndoc.add_fields(_account uuid, _id uuid, _fields json, _changed json) -> json
esigndoc.advance(_row svc.envelope, _asked svc.envelope_recipient) -> void
esigndoc.ask(_row svc.envelope, _asked svc.envelope_recipient) -> void
esigndoc.cancel(_account uuid, _id uuid, _reason text) -> json
esigndoc.change(_account uuid, _id uuid, _changes json) -> json
esigndoc.change_field(_account uuid, _id uuid, _field text, _change json) -> json
esigndoc.change_recipient(_row svc.envelope, _change json) -> void
esigndoc.complete(_token bytea, _session bytea, _signed json) -> void
esigndoc.copy_log(_id uuid) -> void
esigndoc.count_progress(_envelope uuid) -> json
esigndoc.create(_job json, _envelope json, _sending json, _max_open integer) -> json
esigndoc.create_batch(_account uuid, _batch json, _max_open integer) -> json
esigndoc.current_seal_key() -> json
esigndoc.decline(_token bytea, _session bytea, _reason text, _from json) -> void
esigndoc.delete_template(_account uuid, _id uuid) -> void
esigndoc.describe_event(_row svc.envelope, _status text) -> jsonb
esigndoc.describe_page(_account uuid, _content json, _page integer, _width integer) -> json
esigndoc.dispatch(_row svc.envelope, _job json, _sending json) -> svc.envelope
esigndoc.emit(_row svc.envelope, _event text, _status text, _detail jsonb) -> void
esigndoc.end_log(_row svc.envelope) -> void
esigndoc.end_open(_row svc.envelope, _occasion text) -> void
esigndoc.erase_account(_account uuid) -> void
esigndoc.export_account(_account uuid) -> json
esigndoc.export_envelope(_row svc.envelope) -> jsonb
esigndoc.find_issued(_account uuid, _sha256 text) -> json
esigndoc.find_page(_envelope uuid, _file integer, _page integer, _width integer) -> json
esigndoc.find_preparation(_account uuid, _fingerprint text) -> uuid
esigndoc.find_signer(_token bytea, _locks boolean) -> svc.envelope_recipient
esigndoc.find_template_page(_account uuid, _template uuid, _file integer, _page integer, _width integer) -> json
esigndoc.finish_preparation(_id uuid, _result json, _problem json) -> void
esigndoc.finish_seal(_id uuid, _outputs json, _seal json) -> boolean
esigndoc.follow_mail(_recipient uuid, _name text, _key text) -> void
esigndoc.forget(_days integer, _limit integer) -> bigint
esigndoc.format_batch_id(_id uuid) -> text
esigndoc.format_id(_id uuid) -> text
esigndoc.format_recipient_id(_id uuid) -> text
esigndoc.format_template_id(_id uuid) -> text
esigndoc.hold_document(_account uuid, _key text) -> boolean
esigndoc.insert_draft(_account uuid, _envelope json) -> svc.envelope
esigndoc.insert_fields(_envelope uuid, _fields json) -> void
esigndoc.insert_recipient(_row svc.envelope, _recipient json, _position integer) -> void
esigndoc.is_admitted(_row svc.envelope, _asked svc.envelope_recipient, _session bytea) -> boolean
esigndoc.is_asked(_row svc.envelope_recipient) -> boolean
esigndoc.keep_objects(_account uuid, _envelope uuid) -> void
esigndoc.keep_template_objects(_row svc.envelope_template) -> void
esigndoc.list(_account uuid, _filter json, _limit integer, _offset integer) -> json
esigndoc.list_contents() -> TABLE(key text, sha256 text)
esigndoc.list_documents(_account uuid, _id uuid) -> json
esigndoc.list_fields(_envelope uuid) -> json
esigndoc.list_inbox(_account uuid, _limit integer) -> json
esigndoc.list_object_keys(_envelope uuid) -> SETOF text
esigndoc.list_outbox(_account uuid, _id uuid) -> json
esigndoc.list_proofs(_asked svc.envelope_recipient) -> jsonb
esigndoc.list_seal_roots() -> json
esigndoc.list_templates(_account uuid, _limit integer, _offset integer) -> json
esigndoc.list_visible_fields(_row svc.envelope, _asked svc.envelope_recipient) -> json
esigndoc.lock(_account uuid, _id uuid) -> svc.envelope
esigndoc.lock_template(_account uuid, _id uuid) -> svc.envelope_template
esigndoc.log(_row svc.envelope, _actor text, _action text, _detail jsonb) -> void
esigndoc.make_link(_account uuid, _id uuid, _recipient uuid, _link json) -> json
esigndoc.move(_row svc.envelope, _to text, _actor text, _detail jsonb) -> svc.envelope
esigndoc.move_account(_from uuid, _to uuid) -> void
esigndoc.name_page(_content json, _page integer, _width integer) -> text
esigndoc.name_recipient(_row svc.envelope_recipient) -> jsonb
esigndoc.name_sender(_row svc.envelope) -> text
esigndoc.needs_page(_account uuid, _key text, _page integer, _width integer) -> boolean
esigndoc.next_reminder(_row svc.envelope, _asked svc.envelope_recipient) -> timestamp with time zone
esigndoc.note_delivery_error(_recipient uuid, _error text) -> void
esigndoc.note_view(_row svc.envelope, _asked svc.envelope_recipient, _from json) -> void
esigndoc.open_page(_token bytea, _session bytea, _from json) -> void
esigndoc.open_turn(_row svc.envelope) -> void
esigndoc.prove(_token bytea, _session bytea, _proof json) -> json
esigndoc.queue_mail(_recipient uuid, _mail json) -> void
esigndoc.queue_notice(_asked svc.envelope_recipient, _occasion text, _key text) -> void
esigndoc.queue_pages(_row svc.envelope) -> void
esigndoc.queue_timer(_id uuid) -> void
esigndoc.read(_account uuid, _id uuid) -> json
esigndoc.read_batch(_account uuid, _id uuid) -> json
esigndoc.read_draft(_account uuid, _id uuid) -> json
esigndoc.read_evidence(_account uuid, _id uuid) -> json
esigndoc.read_for_sealing(_id uuid) -> json
esigndoc.read_for_signing(_token bytea, _session bytea) -> json
esigndoc.read_logo(_token bytea) -> text
esigndoc.read_notice(_recipient uuid, _occasion text) -> json
esigndoc.read_phone(_recipient uuid) -> json
esigndoc.read_preparation(_id uuid) -> json
esigndoc.read_status(_account uuid, _id uuid) -> json
esigndoc.read_template(_account uuid, _id uuid) -> json
esigndoc.reassign(_token bytea, _session bytea, _to json, _from json) -> void
esigndoc.refuse_if_over(_row svc.envelope) -> void
esigndoc.release_objects(_keys text[]) -> void
esigndoc.remind_due(_row svc.envelope) -> void
esigndoc.remove_field(_account uuid, _id uuid, _field text) -> json
esigndoc.renew_link(_row svc.envelope, _asked svc.envelope_recipient, _link json) -> void
esigndoc.replace_seal_key(_old text, _kid text, _certificate text, _sealed text, _root text, _sealed_root text) -> json
esigndoc.request_preparation(_account uuid, _id uuid, _request json) -> void
esigndoc.require_admitted(_row svc.envelope, _asked svc.envelope_recipient, _session bytea) -> void
esigndoc.require_complete(_id uuid) -> void
esigndoc.require_draft(_row svc.envelope) -> void
esigndoc.require_open_recipient(_row svc.envelope, _id uuid) -> svc.envelope_recipient
esigndoc.require_out(_row svc.envelope) -> void
esigndoc.require_provable(_row svc.envelope, _asked svc.envelope_recipient) -> void
esigndoc.require_turn(_row svc.envelope, _asked svc.envelope_recipient) -> void
esigndoc.resend(_account uuid, _id uuid, _recipients uuid[], _message text) -> json
esigndoc.reserve_object(_account uuid, _key text, _type text) -> void
esigndoc.reserve_page(_account uuid, _content_key text, _key text, _type text) -> boolean
esigndoc.run_due(_id uuid) -> void
esigndoc.save(_token bytea, _session bytea, _values json, _uploads json, _from json) -> void
esigndoc.save_template(_account uuid, _template json) -> json
esigndoc.send(_job json, _id uuid, _sending json) -> json
esigndoc.send_code(_token bytea, _code json) -> json
esigndoc.send_row(_batch uuid, _position integer, _job uuid, _charge bigint, _baton json) -> void
esigndoc.show(_row svc.envelope) -> json
esigndoc.show_documents(_row svc.envelope) -> json
esigndoc.show_page(_account uuid, _content json, _pages json, _page integer, _width integer) -> json
esigndoc.show_recipient(_row svc.envelope_recipient) -> json
esigndoc.show_seal_key(_key svc.seal_key) -> json
esigndoc.show_signer(_row svc.envelope, _asked svc.envelope_recipient) -> json
esigndoc.show_template(_row svc.envelope_template, _version integer) -> json
esigndoc.show_terms(_terms json) -> json
esigndoc.skip_reason(_row svc.envelope_recipient) -> text
esigndoc.store_page(_page json) -> boolean
esigndoc.store_values(_row svc.envelope, _asked svc.envelope_recipient, _values json, _uploads json) -> void
esigndoc.wake(_id uuid) -> void
