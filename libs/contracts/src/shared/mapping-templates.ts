/** The examples that a new mapping can start from. */
export const mappingTemplates = ['text', 'escpos', 'json', 'xml', 'csv'] as const;
