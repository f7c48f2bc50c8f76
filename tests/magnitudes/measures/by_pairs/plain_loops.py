"""rpref as it is printed, and Bpref as trec_eval has it: one document after the other."""

FAR = float("inf")


def by_hand(rho, places, norm, omit_top=0):
    """Equation (1) as it stands, with ranks that may be infinite."""
    ranks = {place: rank for rank, place in enumerate(places) if place >= 0}
    of = [ranks.get(document, FAR) for document in range(len(rho))]
    summed = [k for k in range(len(rho)) if not (omit_top and of[k] == min(of) < FAR)]
    relevance, score = sum(rho[k] for k in summed), 0
    for k in summed:
        above = [j for j in range(len(rho)) if of[j] < of[k]]
        whole = len(above) if norm == "relative" else sum(1 - value for value in rho)
        lost = sum((rho[k] - rho[j]) / rho[k] for j in above if rho[j] < rho[k])
        score += rho[k] * (1 - (lost / whole if lost else 0))
    if not relevance:
        return float(sum(rho) > 0)
    return score / relevance


def by_buckley_and_voorhees(listed, labels, rel):
    """Bpref of a list of documents, by their labels, of which those below 0 are left out."""
    known = {doc: label for doc, label in labels.items() if label >= 0}
    relevant = {doc for doc, label in known.items() if label >= rel}
    others = len(known) - len(relevant)
    above, score = 0, 0
    for doc in listed:
        if doc in relevant:
            score += 1 - (min(above, len(relevant)) / min(others, len(relevant)) if above else 0)
        above += doc in known and doc not in relevant
    return score / len(relevant) if relevant else 0
