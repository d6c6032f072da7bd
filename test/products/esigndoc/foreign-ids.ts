/** Ids that could be of an owner: a document is only taken with a worker, so story.test.ts tries those of real envelopes. */
export default function nameThings(): Promise<Record<string, string>> {
  const hex = '019ab3c45d6e7f809a1b2c3d4e5f6071'
  return Promise.resolve({
    id: `env_${hex}`,
    envelope: `env_${hex}`,
    fieldId: 'sign',
    recipientId: `rcp_${hex}`,
    templateId: `tpl_${hex}`,
    batchId: `btc_${hex}`,
  })
}
