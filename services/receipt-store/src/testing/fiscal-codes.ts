/** Codes of fiscal devices that others have published, for tests of the checks. */

/** DSFinV-K 2.0, appendix I, the example of a code. Brainpool P-256; its signature is in DER, not in plain format. */
export const dsfinvk =
  'V0;955002-00;Kassenbeleg-V1;Beleg^0.00_2.55_0.00_0.00_0.00^2.55:Bar;18;112;2019-07-10T18:41:04.000Z;' +
  '2019-07-10T18:41:04.000Z;ecdsa-plain-SHA256;unixTime;' +
  'MEQCIAy4P9k+7x9saDO0uRZ4El8QwN+qTgYiv1DIaJIMWRiuAiAt+saFDGjK2Yi5Cxgy7PprXQ5O0seRgx4ltdpW9REvwA==;' +
  'BHhWOeisRpPBTGQ1W4VUH95TXx2GARf8e2NYZXJoInjtGqnxJ8sZ3CQpYgjI+LYEmW5A37sLWHsyU7nSJUBemyU=';

/** A receipt of fiskaly's test environment, in a public log of its use. P-256, plain format. */
export const fiskaly =
  'V0;ERS f3ab7b96-6d82-433e-a87a-cccc8e001e20;Kassenbeleg-V1;Beleg^21.42_0.00_0.00_0.00_0.00^21.42:Unbar;1;34;' +
  '2023-01-20T18:27:22.000Z;2023-01-20T18:33:07.000Z;ecdsa-plain-SHA256;unixTime;' +
  'qvyQJduZN29b2kXpEqhXlJ0Hmy3rYiPzBiu/QTPPei7bnGIwMysPV3Q39gMwoEfxtp3KXqWEfUrBulTcBbRpRQ==;' +
  'BO8SGEEyy6KZQeZ+gbaJK9A9s8UkNZ8NhUut3t2BB9D9heCk/rJRwEKIJUCDcjLHl7c3M6jZ8rq98zYeuLuirHc=';

/**
 * From the examples of the fiskaltrust middleware for Germany. Brainpool P-384, plain format. Its first amount has a
 * thousands separator, which DSFinV-K does not allow, but its signature is valid.
 */
export const fiskaltrust =
  'V0;ARC1234;Kassenbeleg-V1;Beleg^3,000.00_20.00_0.00_0.00_0.00^3,020.00:Bar;60;1326;2020-06-16T10:58:12.000Z;' +
  '2020-06-16T10:58:12.000Z;ecdsa-plain-SHA384;unixTime;' +
  'Y6QLrsGBeB80wgNVp1EYrMR+vKO/i3RVWZ+P3LYNNejB/Px+i3XA5DJQMgCvj7lKKj8uRaDtGDWRgPxuXc01yokYXSLazsiU8aJhHmnkdPqbUdMakIz5Qc6tmgauJJIX;' +
  'BFhnDaPRoUxAYUktkUqoaV2l+TVpLdT7wPTRFDkZcHXFS7WZhGsvKh/lT3jEYJLNLD/sjQVg/JrobVU5kue/k2d9sK7dnWPdMgYlr4E4Ff8ziKclzs1u7BuOYJ4jRI65rg==';

/**
 * From the test suite of A-SIT Plus for RKSV (at-registrierkassen-mustercode): two receipts of one till, the first as a
 * QR code, the second for OCR. The suite's certificate is not published with them; the key was computed from the two
 * signatures, which have only one key in common.
 */
export const asitQr =
  '_R1-AT0_DEMO-CASH-BOX524_366596_2015-12-17T11:23:44_0,00_0,00_3,64_-2,60_1,79_VFJB_47be737cb1f6d1f1_ZvNxJw6a1A4=_' +
  'J7YC28zquHfHzMpx02TqElbXOTSgXQu5JAA9Xu1Xzzu5p8eUYT+sgmyhzRps5nYyEp5Yh8ATIa9130zmuiACHw==';
export const asitOcr =
  '_R1-AT0_DEMO-CASH-BOX524_366610_2015-12-17T11:23:44_0,00_0,00_0,00_0,00_0,00_BZ4B7BUYEEVO6===_47be737cb1f6d1f1_' +
  'QQFOC5BE2KG3G===_KG6PVF3PSMLN6NARMAP6QJHL7V5BZJQJ7VJBHIKK7FDDFJBMGC6UXRRHQQJ3NVVIDZMOQ4BQNAWQ2SAOOSZQVRQ7CKWP2Q4GHUWVEJA=';
export const asitKey =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEj2o/biHRWN3CSBDzqaPgdtzxyvtAVjMViu2Jf5iO0rnq/Ez/Lytld2E43R9XgDbyIYdkjCPcYsqtBOO0AXg1qQ==';

/** "Especificações Técnicas - Código QR" of the Portuguese tax authority, 5.1 to 5.3: invoice, simplified, pro forma. */
export const atInvoice =
  'A:123456789*B:999999990*C:PT*D:FT*E:N*F:20191231*G:FT AB2019/0035*H:CSDF7T5H-0035*I1:PT*I2:12000.00*I3:15000.00*' +
  'I4:900.00*I5:50000.00*I6:6500.00*I7:80000.00*I8:18400.00*J1:PT-AC*J2:10000.00*J3:25000.56*J4:1000.02*J5:75000.00*' +
  'J6:6750.00*J7:100000.00*J8:18000.00*K1:PT-MA*K2:5000.00*K3:12500.00*K4:625.00*K5:25000.00*K6:3000.00*K7:40000.00*' +
  'K8:8800.00*L:100.00*M:25.00*N:64000.02*O:513600.58*P:100.00*Q:kLp0*R:9999*S:TB;PT00000000000000000000000;513500.58';
export const atSimplified =
  'A:123456789*B:999999990*C:PT*D:FS*E:N*F:20190812*G:FS CDVF/12345*H:CDF7T5HD-12345*I1:PT*I7:0.65*I8:0.15*N:0.15*' +
  'O:0.80*Q:YhGV*R:9999*S:NU;0.80';
export const atProForma =
  'A:500000000*B:123456789*C:PT*D:PF*E:N*F:20190123*G:PF G2019CB/145789*H:HB6FT7RV-145789*I1:PT*I2:12345.34*' +
  'I3:12532.65*I4:751.96*I5:52789.00*I6:6862.57*I7:32425.69*I8:7457.91*N:15072.44*O:125165.12*Q:r/fY*R:9999';

/** The example of the TicketBAI specification of Bizkaia (annex V of Orden Foral 1482/2020), and one in use. */
export const ticketbai =
  'https://batuz.eus/QRTBAI/?id=TBAI-00000006Y-251019-btFpwP8dcLGAF-237&s=T&nf=27174&i=4.70&cr=007';
export const ticketbaiInUse =
  'https://batuz.eus/QRTBAI/?id=TBAI-78871042V-031120-epEs2rfuC2EoP-207&s=DFB_2020&nf=7&i=299.5&cr=046';

/** "Características del QR" of the Spanish tax agency, section 8. */
export const verifactu =
  'https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=89890001K&numserie=12345678-G33&fecha=01-09-2024&importe=241.4';
