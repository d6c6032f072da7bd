import type { Drawing, Report, ReportPart, ReportRow } from '../../../formats/pdf/report.ts'
import type { CertificateData, CertifiedRecipient, SignatureMark } from '../document.ts'
import { CERTIFICATE_TEXTS, type CertificateTexts } from './certificate-texts.ts'

const DEFAULT_COLOR = '#1f3a5f'
/** The log is read in full at the service; what is printed must stay a page or two. */
const MAX_EVENTS = 120

interface Drawings {
  /** How a signature is drawn. */
  draw(mark: SignatureMark): Drawing
  /** Of the sender. */
  logo: Drawing | undefined
}

/** What the certificate says, as a report. */
export function describeCertificate(data: CertificateData, { draw, logo }: Drawings): Report {
  const texts = CERTIFICATE_TEXTS[data.language]
  const color = data.brand?.color
  const isColor = color !== null && color !== undefined && /^#[0-9a-f]{6}$/i.test(color)
  return {
    color: isColor ? color : DEFAULT_COLOR,
    footer: texts.footer.replace('{id}', data.envelopeId),
    parts: [
      { kind: 'title', text: texts.title },
      { kind: 'text', text: texts.intro },
      ...(logo ? [{ kind: 'drawing' as const, label: '', drawing: logo }] : []),
      ...describeEnvelope(data, texts),
      ...data.recipients.flatMap(recipient => describeRecipient(recipient, texts, draw)),
      ...describeEvents(data, texts),
    ],
  }
}

function describeEnvelope(data: CertificateData, texts: CertificateTexts): ReportPart[] {
  const { envelopeId, title, sender, issuer, createdAt, sentAt, completedAt, documents, brand } = data
  return [
    { kind: 'heading', text: texts.envelope },
    { kind: 'row', label: texts.envelope, value: envelopeId },
    { kind: 'row', label: texts.name, value: title },
    { kind: 'row', label: texts.sender, value: brand ? `${sender} (${brand.name})` : sender },
    { kind: 'row', label: texts.created, value: formatTime(createdAt) },
    { kind: 'row', label: texts.sent, value: formatTime(sentAt) },
    { kind: 'row', label: texts.completed, value: formatTime(completedAt) },
    { kind: 'row', label: texts.issuer, value: issuer },
    { kind: 'heading', text: texts.documents },
    ...documents.map(({ name, sha256, pages }) =>
      group(
        { label: texts.pages.replace('{pages}', `${pages}`), value: name },
        { label: texts.document, value: sha256, isCode: true },
      ),
    ),
  ]
}

function describeRecipient(
  one: CertifiedRecipient,
  texts: CertificateTexts,
  draw: (mark: SignatureMark) => Drawing,
): ReportPart[] {
  const methods = one.authentication.map(method => texts.methods[method] ?? method).join(', ')
  const row = (label: string, value: string | null): ReportPart[] =>
    value === null || value === '' ? [] : [{ kind: 'row', label, value }]
  return [
    { kind: 'heading', text: one.name },
    ...row(texts.email, one.email),
    ...row(texts.role, texts.roles[one.role] ?? one.role),
    ...row(texts.status, texts.statuses[one.status] ?? one.status),
    ...row(texts.authentication, methods),
    ...row(texts.address, one.ip),
    ...row(texts.browser, one.userAgent),
    ...row(texts.notified, one.notifiedAt && formatTime(one.notifiedAt)),
    ...row(texts.viewed, one.viewedAt && formatTime(one.viewedAt)),
    ...row(texts.signed, one.signedAt && formatTime(one.signedAt)),
    ...row(texts.consent, one.consent && `${one.consent.text} (${one.consent.version}, ${formatTime(one.consent.at)})`),
    ...(one.mark ? [{ kind: 'drawing' as const, label: texts.signature, drawing: draw(one.mark) }] : []),
  ]
}

function describeEvents({ events, chainHead }: CertificateData, texts: CertificateTexts): ReportPart[] {
  const left = events.length - MAX_EVENTS
  return [
    { kind: 'heading', text: texts.events },
    ...(left > 0 ? [{ kind: 'row' as const, label: `… ${left}`, value: '…' }] : []),
    ...events
      .slice(-MAX_EVENTS)
      .map(({ at, text, actor, hash }) =>
        group(
          { label: formatTime(at), value: actor === '' ? text : `${text} · ${actor}` },
          { label: '', value: hash, isCode: true },
        ),
      ),
    { kind: 'heading', text: texts.chain },
    { kind: 'text', text: texts.how },
    {
      kind: 'row',
      label: texts.chainHead.replace('{entries}', `${chainHead.entries}`),
      value: chainHead.hash,
      isCode: true,
    },
  ]
}

function group(...rows: ReportRow[]): ReportPart {
  return { kind: 'group', rows }
}

/** `2026-11-24 10:00:00 UTC`: the same in every language, and told apart from local times. */
function formatTime(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
