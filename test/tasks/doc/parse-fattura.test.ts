import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
let folder: Awaited<ReturnType<typeof freshFolder>>
const at = (name: string) => join(folder.path, name)
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] })
beforeAll(async () => {
  folder = await freshFolder()
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key.pem')]
  openssl('req', '-x509', ...key, '-subj', '/CN=Maria Rossi', '-days', '2', '-out', at('cert.pem'))
  pools = await sharedPools()
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const parse = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'doc.parse-invoice', { file: typeof file === 'string' ? Buffer.from(file) : file, ...options })

/** Two hours of work and a part, a pension fund, a stamp that is not taxed, and tax that the buyer withholds. */
const body = (number: string) => `<FatturaElettronicaBody>
  <DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Data>2026-03-05</Data>
    <Numero>${number}</Numero><DatiRitenuta><TipoRitenuta>RT01</TipoRitenuta><ImportoRitenuta>40.00</ImportoRitenuta>
    <AliquotaRitenuta>20.00</AliquotaRitenuta><CausalePagamento>A</CausalePagamento></DatiRitenuta>
    <DatiCassaPrevidenziale><TipoCassa>TC22</TipoCassa><AlCassa>4.00</AlCassa>
    <ImportoContributoCassa>8.00</ImportoContributoCassa><AliquotaIVA>22.00</AliquotaIVA></DatiCassaPrevidenziale>
    <ImportoTotaleDocumento>357.96</ImportoTotaleDocumento><Causale>Consulenza</Causale></DatiGeneraliDocumento>
    <DatiOrdineAcquisto><IdDocumento>PO-77</IdDocumento></DatiOrdineAcquisto></DatiGenerali>
  <DatiBeniServizi>
    <DettaglioLinee><NumeroLinea>1</NumeroLinea><CodiceArticolo><CodiceTipo>SKU</CodiceTipo><CodiceValore>H-1</CodiceValore></CodiceArticolo>
      <Descrizione>Ore d&apos;ufficio</Descrizione><Quantita>2.00</Quantita><UnitaMisura>ore</UnitaMisura>
      <PrezzoUnitario>100.00</PrezzoUnitario><PrezzoTotale>200.00</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA></DettaglioLinee>
    <DettaglioLinee><NumeroLinea>2</NumeroLinea><Descrizione>Caffè</Descrizione><Quantita>10.00</Quantita>
      <PrezzoUnitario>10.00</PrezzoUnitario><ScontoMaggiorazione><Tipo>SC</Tipo><Percentuale>10.00</Percentuale></ScontoMaggiorazione>
      <PrezzoTotale>90.00</PrezzoTotale><AliquotaIVA>10.00</AliquotaIVA></DettaglioLinee>
    <DettaglioLinee><NumeroLinea>3</NumeroLinea><Descrizione>Bollo</Descrizione><PrezzoUnitario>5.20</PrezzoUnitario>
      <PrezzoTotale>5.20</PrezzoTotale><AliquotaIVA>0.00</AliquotaIVA><Natura>N1</Natura></DettaglioLinee>
    <DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>208.00</ImponibileImporto><Imposta>45.76</Imposta></DatiRiepilogo>
    <DatiRiepilogo><AliquotaIVA>10.00</AliquotaIVA><ImponibileImporto>90.00</ImponibileImporto><Imposta>9.00</Imposta></DatiRiepilogo>
    <DatiRiepilogo><AliquotaIVA>0.00</AliquotaIVA><Natura>N1</Natura><ImponibileImporto>5.20</ImponibileImporto><Imposta>0.00</Imposta></DatiRiepilogo>
  </DatiBeniServizi>
  <DatiPagamento><CondizioniPagamento>TP02</CondizioniPagamento><DettaglioPagamento><ModalitaPagamento>MP05</ModalitaPagamento>
    <DataScadenzaPagamento>2026-04-04</DataScadenzaPagamento><ImportoPagamento>317.96</ImportoPagamento>
    <IBAN>IT60X0542811101000000123456</IBAN></DettaglioPagamento></DatiPagamento>
</FatturaElettronicaBody>`
const fattura = (bodies: string, version = 'FPR12') => `<?xml version="1.0" encoding="UTF-8"?>
<p:FatturaElettronica versione="${version}" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2">
<FatturaElettronicaHeader><DatiTrasmissione><FormatoTrasmissione>${version}</FormatoTrasmissione></DatiTrasmissione>
  <CedentePrestatore><DatiAnagrafici><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567890</IdCodice></IdFiscaleIVA>
    <CodiceFiscale>RSSMRA70A01H501S</CodiceFiscale><Anagrafica><Nome>Maria</Nome><Cognome>Rossi</Cognome></Anagrafica></DatiAnagrafici>
    <Sede><Indirizzo>Via Roma</Indirizzo><NumeroCivico>1</NumeroCivico><CAP>00100</CAP><Comune>Roma</Comune><Provincia>RM</Provincia><Nazione>IT</Nazione></Sede>
    <Contatti><Telefono>06123</Telefono><Email>maria@example.it</Email></Contatti></CedentePrestatore>
  <CessionarioCommittente><DatiAnagrafici><CodiceFiscale>80012345678</CodiceFiscale><Anagrafica><Denominazione>Comune di Prova</Denominazione></Anagrafica></DatiAnagrafici>
    <Sede><Indirizzo>Piazza 2</Indirizzo><CAP>20100</CAP><Comune>Milano</Comune><Nazione>IT</Nazione></Sede></CessionarioCommittente>
</FatturaElettronicaHeader>${bodies}</p:FatturaElettronica>`
const FATTURA = fattura(body('7/A'))

const value = (expected: string) => expect.objectContaining({ value: expected, source: 'xml', confidence: 1 })
const EXPECTED = {
  kind: 'invoice',
  vendor: {
    ...{ name: value('Maria Rossi'), taxId: value('IT01234567890'), iban: value('IT60X0542811101000000123456') },
    ...{ address: value('Via Roma 1\n00100 Roma RM\nIT'), email: value('maria@example.it'), phone: value('06123') },
  },
  customer: { name: value('Comune di Prova'), taxId: value('80012345678') },
  ...{ number: value('7/A'), issueDate: value('2026-03-05'), dueDate: value('2026-04-04'), currency: value('EUR') },
  ...{ subtotal: value('303.20'), total: value('357.96'), amountDue: value('317.96'), purchaseOrder: value('PO-77') },
  lines: [
    {
      description: value("Ore d'ufficio"),
      sku: value('H-1'),
      quantity: value('2.00'),
      unit: value('ore'),
      amount: value('200.00'),
    },
    { description: value('Caffè'), unitPrice: value('10.00'), taxRate: value('10.00'), amount: value('90.00') },
    { description: value('Bollo'), quantity: null, amount: value('5.20') },
  ],
  taxes: [
    { rate: value('22.00'), base: value('208.00'), amount: value('45.76') },
    { rate: value('10.00'), base: value('90.00'), amount: value('9.00') },
    { rate: value('0.00'), base: value('5.20'), amount: value('0.00') },
  ],
  checks: { linesMatchSubtotal: true, taxesMatch: true, totalMatches: true },
  source: 'xml',
}

test('reads FatturaPA with its pension fund, its stamp and the tax that is withheld', async () => {
  const { result, chargedMicros } = await parse(FATTURA)
  expect(result).toMatchObject({ ...EXPECTED, xml: { syntax: 'fatturapa', profile: 'FPR12' } })
  expect(chargedMicros).toBe(20_000n)
})

/** Signs as the programs of Italy's authorities do, in each form in which such files are sent. */
function sign(content: string | Uint8Array, ...form: string[]): Buffer {
  writeFileSync(at('in.xml'), content)
  const signer = ['-signer', at('cert.pem'), '-inkey', at('key.pem'), '-in', at('in.xml'), '-out', at('out.p7m')]
  openssl('cms', '-sign', '-binary', '-nodetach', ...signer, ...form)
  return readFileSync(at('out.p7m'))
}

test.each([
  ['in DER', (content: string) => sign(content, '-outform', 'DER')],
  ['in pieces of unknown length', (content: string) => sign(content, '-outform', 'DER', '-stream')],
  ['in PEM', (content: string) => sign(content, '-outform', 'PEM')],
  ['in base64', (content: string) => Buffer.from(sign(content, '-outform', 'DER').toString('base64'))],
  ['twice', (content: string) => sign(sign(content, '-outform', 'DER'), '-outform', 'PEM')],
])('reads FatturaPA that is signed %s', async (_name, make) => {
  const { result } = await parse(make(FATTURA))
  expect(result).toMatchObject({ ...EXPECTED, xml: { syntax: 'fatturapa', isSigned: true } })
})

test('reads the one that is asked for of several invoices, and says how many there are', async () => {
  const several = fattura(body('1').concat(body('2').replace('TD01', 'TD04')), 'FPA12')
  const { result, warnings } = await parse(several)
  expect(result).toMatchObject({ number: value('1'), xml: { profile: 'FPA12', invoices: 2 } })
  expect(warnings).toEqual(['SEVERAL_INVOICES'])
  expect((await parse(several, { page: 2 })).result).toMatchObject({ kind: 'credit-note', number: value('2') })
  await expect(parse(several, { page: 3 })).rejects.toMatchObject({ code: 'BAD_RANGE', hints: { invoices: 2 } })
})

test('notices that totals do not add up', async () => {
  const { result } = await parse(
    FATTURA.replace('<Imposta>45.76', '<Imposta>45.00').replace('>90.00</PrezzoTotale', '>80.00</PrezzoTotale'),
  )
  expect(result.checks).toEqual({ linesMatchSubtotal: false, taxesMatch: false, totalMatches: false })
})

test.each([
  ['is a simplified invoice', () => fattura('', 'FSM10'), 'DOC_PARSE_FAILED'],
  [
    'has entities',
    () => FATTURA.replace('?>', '?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'),
    'DOC_PARSE_FAILED',
  ],
  ['is cut off', () => sign(FATTURA, '-outform', 'DER').subarray(0, 900), 'DOC_PARSE_FAILED'],
  ['signs something else', () => sign('no invoice', '-outform', 'DER'), 'DOC_PARSE_FAILED'],
  [
    'nests without end',
    () =>
      Buffer.concat([
        Buffer.from('308006092a864886f70d010702', 'hex'),
        Buffer.alloc(60_000, Buffer.from('a080', 'hex')),
      ]),
    'DOC_PARSE_FAILED',
  ],
])('refuses what %s', async (_name, make, code) => {
  await expect(parse(make())).rejects.toMatchObject({ code })
})
